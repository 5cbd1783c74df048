"""From Markdown as GitHub reads it (CommonMark) to Markdown as the site's renderer reads it.

The renderer wants what belongs to an item of a list indented by four columns for each level, and is told to
read the Markdown inside of HTML blocks.
"""

from __future__ import annotations

import re

_ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)(?=\S)")
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")


def for_renderer(text: str) -> str:
    """Indent lists by four columns a level, and let HTML blocks hold Markdown."""
    return _indented(text).replace("<details>", '<details markdown="1">')


def _indented(text: str) -> str:
    lines: list[str] = []
    contents: list[int] = []  # the column at which the text of each open item begins
    fence = ""
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            lines.append("")
            blank = True
            continue
        column = len(line) - len(line.lstrip(" "))
        item = None if fence else _ITEM.match(line)
        if not fence and (item or blank):
            while contents and column < contents[-1]:
                contents.pop()
        depth = len(contents)
        kept = max(column - contents[-1], 0) if contents else column
        lines.append(" " * (4 * depth + kept) + line.lstrip(" "))
        if item:
            contents.append(item.end())
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        blank = False
    return "\n".join(lines)
