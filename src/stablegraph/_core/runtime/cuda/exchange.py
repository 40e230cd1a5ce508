"""Exchange between cards: of a set of vertices to which each card adds some.

Result: after `deliver`, each card has the vertices that the other cards reported since the last exchange.

Idea: a card reports a vertex once, and only if it has not received it. A message is a list of vertices, or a bit per
vertex if the list would be longer; both are written by the kernel that finds the vertices (`post` in exchange.cuh),
because a card does not know its count before. The host reads all counts in one synchronization, then each card copies
the messages of the other cards. Outboxes alternate between two places, so that a card may write the next message while
other cards still copy the last one: the next synchronization waits for these copies.

Cost: for each exchange and card, one synchronization, two small launches and a copy from each other card. Work memory
on each of p cards: (p + 4) / 8 bytes per vertex.

The problem writes the kernels that find vertices, `report_`, and that apply them: `take_bits`, `take_list`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .cards import Card, copy

_WORD = 32  # vertices


class VertexExchange:
    """A set of vertices: the outboxes and inboxes of all cards, and the sums of bytes and rounds, for one call."""

    def __init__(self, cards: list[Card], n: int, xp: Any, id_type: Any) -> None:
        self.cards, self._ids = cards, np.dtype(id_type)
        self.bytes = self.rounds = 0
        self.counts: list[int] = []  # of the current messages
        self.words = -(-n // (2 * _WORD)) * 2  # even, so that lists of 64-bit ids behind bits are aligned
        self.room = 4 * self.words // self._ids.itemsize
        self.known: list[Any] = []
        self._boxes: list[tuple[Any, ...]] = []
        for card in cards:
            with card:
                self.known.append(xp.zeros(self.words, np.uint32))
                bits, lists = xp.zeros((2, self.words), np.uint32), xp.empty((2, self.room), self._ids)
                inbox = xp.empty((len(cards) - 1) * self.words, np.uint32)
                self._boxes.append((bits, lists, xp.zeros(1, np.int64), inbox))

    def outbox(self, k: int) -> tuple[Any, ...]:
        """Return the arguments of `post` for the next message of card k."""
        bits, lists, counts, _ = self._boxes[k]
        half = self.rounds % 2
        return self.known[k], bits[half], lists[half], self.room, counts

    def read(self) -> tuple[bool, int]:
        """Return whether the kernels of a card reported remaining work, and the number of reported vertices."""
        numbers = []
        for card in self.cards:
            with card:
                numbers.append(card.report.read())
        self.counts = [count for _, count, *_ in numbers]
        return any(remaining for remaining, *_ in numbers), sum(self.counts)

    def deliver(self, take: Callable[..., None]) -> None:
        """Copy all messages to each card k; call take(k, number of messages of bits, bits, length of a list, list)."""
        for k, card in enumerate(self.cards):
            with card:
                inbox, half = self._boxes[k][-1], self.rounds % 2
                senders = [i for i, count in enumerate(self.counts) if i != k and count]
                by_bits = [i for i in senders if self.counts[i] > self.room]
                for place, i in enumerate(by_bits):
                    copy(inbox[place * self.words : (place + 1) * self.words], self._boxes[i][0][half])
                ids, listed = inbox[len(by_bits) * self.words :].view(self._ids), 0
                for i in set(senders).difference(by_bits):
                    copy(ids[listed : listed + self.counts[i]], self._boxes[i][1][half][: self.counts[i]])
                    listed += self.counts[i]
                self.bytes += 4 * self.words * len(by_bits) + self._ids.itemsize * listed
                take(k, len(by_bits), inbox, listed, ids)
        self.rounds += 1
