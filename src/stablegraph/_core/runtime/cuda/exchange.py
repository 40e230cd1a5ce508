"""Exchange between cards: of a set of vertices to which each card adds some, and of states of vertices.

Result: after `deliver`, each card has the vertices or states that the other cards reported since the last exchange.

Idea: a card reports a vertex once, and only if it has not received it. A message is a list of vertices, or a bit per
vertex if the list would be longer; both are written by the kernel that finds the vertices (`post` in exchange.cuh),
because a card does not know its count before. The host reads all counts in one synchronization, then each card copies
the messages of the other cards. Outboxes alternate between two places, so that a card may write the next message while
other cards still copy the last one: the next synchronization waits for these copies.

States of vertices are sent as pairs of a vertex and its state, or all states of the sender's rows if there are many.

Cost: for each exchange and card, one synchronization, two small launches and a copy from each other card. Work memory
on each of p cards: (p + 4) / 8 bytes per vertex; for states of 32 bits 1 byte per vertex and 6 per own row.

The problem writes the kernels that find vertices, `report_`, and that apply them: `take_bits`, `take_list`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from .cards import Card, copy

_WORD = 32  # vertices
_FEW = 8  # states are listed if at most one of this number of rows has a new one


class Exchange:
    """What both exchanges have: the cards, the counts of the messages, and the sums of bytes and rounds of a call."""

    def __init__(self, cards: list[Card]) -> None:
        self.cards, self.bytes, self.rounds = cards, 0, 0
        self.counts: list[int] = []  # of the current messages
        self.remaining: list[int] = []  # work on each card

    def read(self) -> tuple[bool, int]:
        """Return whether the kernels of a card reported remaining work, and the number of reported vertices."""
        numbers = []
        for card in self.cards:
            with card:
                numbers.append(card.report.read())
        self.remaining, self.counts = [number[0] for number in numbers], [number[1] for number in numbers]
        return any(self.remaining), sum(self.counts)

    def _copy(self, target: Any, source: Any) -> None:
        copy(target, source)
        self.bytes += source.nbytes


class VertexExchange(Exchange):
    """A set of vertices: the outboxes and inboxes of all cards for one call."""

    def __init__(self, cards: list[Card], n: int, xp: Any, id_type: Any) -> None:
        super().__init__(cards)
        self._ids = np.dtype(id_type)
        self.words = -(-n // (2 * _WORD)) * 2  # even, so that lists of 64-bit ids behind bits are aligned
        self.room = 4 * self.words // self._ids.itemsize
        self.known: list[Any] = []
        self._boxes: list[tuple[Any, ...]] = []
        for card in cards:
            with card:
                self.known.append(xp.zeros(self.words, np.uint32))
                bits, lists = xp.zeros((2, self.words), np.uint32), xp.empty((2, self.room), self._ids)
                inbox = xp.empty((len(cards) - 1) * self.words, np.uint32)
                self._boxes.append((bits, lists, xp.zeros(2, np.int64), inbox))

    def outbox(self, k: int) -> tuple[Any, ...]:
        """Return the arguments of `post` for the next message of card k."""
        bits, lists, counts, _ = self._boxes[k]
        half = self.rounds % 2
        return self.known[k], bits[half], lists[half], self.room, counts

    def deliver(self, take: Callable[..., None]) -> None:
        """Copy all messages to each card k; call take(k, number of messages of bits, bits, length of a list, list)."""
        for k, card in enumerate(self.cards):
            with card:
                inbox, half = self._boxes[k][-1], self.rounds % 2
                senders = [i for i, count in enumerate(self.counts) if i != k and count]
                by_bits = [i for i in senders if self.counts[i] > self.room]
                for place, i in enumerate(by_bits):
                    self._copy(inbox[place * self.words : (place + 1) * self.words], self._boxes[i][0][half])
                ids, listed = inbox[len(by_bits) * self.words :].view(self._ids), 0
                for i in set(senders).difference(by_bits):
                    self._copy(ids[listed : listed + self.counts[i]], self._boxes[i][1][half][: self.counts[i]])
                    listed += self.counts[i]
                take(k, len(by_bits), inbox, listed, ids)
        self.rounds += 1

    def apply(self, run: Any, states: tuple[Any, ...], k: int, bits: int, inbox: Any, listed: int, ids: Any) -> None:
        """Run `take_bits` and `take_list` of a source for the messages that `deliver` passes to card k."""
        if bits:
            run("take_bits", self.words, self.words, bits, inbox, self.known[k], *states)
        if listed:
            run("take_list", listed, listed, ids, self.known[k], *states)


class StateExchange(Exchange):
    """States of vertices: each card sends those of its own rows that differ from `sent` on its card."""

    def __init__(
        self, cards: list[Card], bounds: list[int], xp: Any, id_type: Any, kind: Any = np.uint32, sent: int = 0
    ) -> None:
        super().__init__(cards)
        self._rows = [slice(*ends) for ends in pairwise(bounds)]
        self._rooms = [(end - first) // _FEW for first, end in pairwise(bounds)]
        self._boxes: list[tuple[Any, ...]] = []
        for card, own, room in zip(cards, self._rows, self._rooms, strict=True):
            with card:
                outbox = xp.empty((2, room), id_type), xp.empty((2, room), kind)
                inbox = xp.empty(sum(self._rooms), id_type), xp.empty(sum(self._rooms), kind)
                first, counts = xp.full(own.stop - own.start, sent, kind), xp.zeros(2, np.int64)
                self._boxes.append((first, *outbox, counts, *inbox))

    def outbox(self, k: int) -> tuple[Any, ...]:
        """Return the arguments of `report_states` for the next message of card k; the first one is `sent`."""
        sent, ids, values, counts, *_ = self._boxes[k]
        half = self.rounds % 2
        return sent, ids[half], values[half], self._rooms[k], counts

    def deliver(self, states: list[Any], take: Callable[..., None]) -> None:
        """Copy all messages; call take(k, number, vertices, states) for each card k that received pairs.

        `states` are the states of all vertices on each card, and get the rows of which all states are sent. Their card
        may change them meanwhile: newer states are as good.
        """
        for k, card in enumerate(self.cards):
            inbox, half, listed = self._boxes[k][-2:], self.rounds % 2, 0
            with card:
                for i, count in enumerate(self.counts):
                    if i == k or count == 0:
                        continue
                    if count > self._rooms[i]:
                        self._copy(states[k][self._rows[i]], states[i][self._rows[i]])
                        continue
                    for received, sent in zip(inbox, self._boxes[i][1:3], strict=True):
                        self._copy(received[listed : listed + count], sent[half][:count])
                    listed += count
                if listed:
                    take(k, listed, *inbox)
        self.rounds += 1
