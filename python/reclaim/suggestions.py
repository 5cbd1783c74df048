"""What was probably meant by a word that is none of those that are valid: one question for all messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CUTOFF = 0.6
"""How alike two words are at least, from 0 to 1."""


def alike(word: str, choices: Iterable[str], *, most: int = 1, cutoff: float = CUTOFF) -> list[str]:
    """Give the choices that are most like a word, the most similar first.

    >>> alike("gredy", ["greedy", "fifo"]), alike("x", ["greedy"])
    (['greedy'], [])
    """
    return difflib.get_close_matches(word, list(choices), most, cutoff)


def did_you_mean(found: Iterable[str], *, quote: str = '"') -> str:
    """Ask, as the end of a message, whether one of these was meant; nothing of none.

    >>> did_you_mean(["axes"]), did_you_mean(["a/b", "a/c"], quote=""), did_you_mean([])
    ('; did you mean "axes"?', '; did you mean a/b or a/c?', '')
    """
    named = [f"{quote}{each}{quote}" for each in found]
    return f"; did you mean {' or '.join(named)}?" if named else ""


def near(word: str, choices: Iterable[str], *, quote: str = '"') -> str:
    """Ask whether what is most like `word` was meant; nothing if nothing is like it.

    >>> near("axs", ["axes", "vary"]), near("x", ["axes"])
    ('; did you mean "axes"?', '')
    """
    return did_you_mean(alike(word, choices), quote=quote)
