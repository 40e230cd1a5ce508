"""Detection of damaged or misplaced headers, which a reader would skip as comments and read the sizes as edges.

"%" starts a comment in edge lists and METIS files, and also the banner of a Matrix Market file. A single wrong byte
can turn any header into a comment. Therefore a line before the first numbers that resembles a header is refused, and a
Matrix Market banner is refused on any line but the first.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from .dimacs import PACE_WORDS
from .matrix_market import BANNER_WORDS, MAGIC
from .source import Source

__all__ = ["refuse_damaged_headers"]

_NEAR = 0.8  # ratio of difflib; one wrong byte in "%%MatrixMarket" gives 0.93


def refuse_damaged_headers(source: Source) -> None:
    """Refuse text with a damaged or misplaced Matrix Market or PACE header."""
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
                "correct it (or remove the line if the file is an edge list)",
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
    """Return whether a line begins nearly like a banner, or consists mostly of at least three words of a banner."""
    known = sum(any(word in kind for word in words) for kind in BANNER_WORDS)
    return (known >= 3 and len(words) <= 6) or SequenceMatcher(None, words[0], MAGIC.lower()).ratio() > _NEAR


def _is_near_pace(words: list[bytes]) -> bool:
    """Return whether a line is a PACE header with another byte instead of "p"; PACE edge lines have no letters."""
    return len(words) == 4 and len(words[0]) == 1 and words[1] in PACE_WORDS and all(map(bytes.isdigit, words[2:]))
