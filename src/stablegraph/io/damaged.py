"""Headers that are damaged or not the first line: a reader would pass over them as comments, and read sizes as edges.

"%" starts a comment in edge lists and METIS files, and the banner of a Matrix Market file; one wrong byte makes any
header a comment. So a line before the first numbers that comes near to a header is refused, and a banner anywhere.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from .dimacs import PACE_WORDS
from .matrix_market import BANNER_WORDS, MAGIC
from .source import Source

__all__ = ["refuse_damaged_headers"]

_NEAR = 0.8  # in the ratio of difflib, which is 0.93 for one wrong byte of "%%MatrixMarket"


def refuse_damaged_headers(source: Source) -> None:
    """Refuse text in which a header of Matrix Market or PACE stands, but is not whole, or not the first line."""
    position = 0
    first_numbers = source.skip_comments(0, b"#%")
    while position <= first_numbers:
        end = source.end_of_line(position)
        words = bytes(source.data[position : min(end, position + 200)]).lower().split()
        if words and _is_near_banner(words):
            raise _no_banner(source, position)
        if words and _is_near_pace(words):
            raise source.error(
                "this looks like a damaged DIMACS header, which is 'p', a word, and the numbers of vertices and edges; "
                "mend it (or take the line out if the file is an edge list)",
                position=position,
            )
        position = end + 1
    position = source.data.find(b"\n" + MAGIC)
    if position >= 0:
        raise _no_banner(source, position + 1)


def _no_banner(source: Source, position: int) -> Exception:
    return source.error(
        "this looks like a damaged Matrix Market banner; '%%MatrixMarket matrix coordinate FIELD SYMMETRY' must be the "
        "first line (or take the line out if the file is an edge list)",
        position=position,
    )


def _is_near_banner(words: list[bytes]) -> bool:
    """Whether a line begins like a banner, or has three of the four words that follow, and hardly any other."""
    known = sum(any(word in kind for word in words) for kind in BANNER_WORDS)
    return (known >= 3 and len(words) <= 6) or SequenceMatcher(None, words[0], MAGIC.lower()).ratio() > _NEAR


def _is_near_pace(words: list[bytes]) -> bool:
    """Whether another byte stands for the "p" of a PACE header, whose lines of edges have no letter."""
    return len(words) == 4 and len(words[0]) == 1 and words[1] in PACE_WORDS and all(map(bytes.isdigit, words[2:]))
