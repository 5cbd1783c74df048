"""The table of answers: what was asked in every case, and what came of it in a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from answers.case import Case
from answers.known import KNOWN
from answers.runner import Answer, message

FILE = Path(__file__).with_name("answers.md")
RENEW = "RECLAIM_RENEW_ANSWERS"
MOST = 300
"""Characters of an answer that are shown."""
VARIES = (
    (r"\b\d+(\.\d+)? GiB", "N GiB"),
    (r"\b\d+ MiB of memory", "N MiB of memory"),
    (r"may use \d+ MiB", "may use N MiB"),
    (r"take about \S+ \S+ on \d+ cores", "take about N s on N cores"),
    (r"\[\d+, \d+\]", "[…]"),
    (r"about \d+ s on \d+ cores", "about N s on N cores"),
    # Of a check that takes long: only a slow machine says so.
    (r"[\d,]+ of [\d,]+ points checked(; makes [^/]*)? / ", ""),
    # One more victim policy, or scheme, is no other answer.
    (r"(?<=; valid: greedy, fifo, )[\w.-]+(, [\w.-]+)*", "…"),
)
"""What is another number every time, or grows."""
HEAD = """# Answers to bad inputs

What Reclaim says of each case in `cases/`. Made by `RECLAIM_RENEW_ANSWERS=1 pytest tests/python/answers`,
which asks them all; without the variable, an answer that is not the one below is a failure. Exit codes are
those of `docs/cli.md`; of a call in Python, 2 is an exception and 0 a value; below 0 is the signal that ended
the command.

"""


def _cell(text: str) -> str:
    """Text that a table in Markdown can hold, and every editor can show."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    shown = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in shown)
    shown = shown.replace("|", "\\|").replace("`", "'")
    return shown if len(shown) <= MOST else f"{shown[:MOST]}…"


def answer_line(case: Case, answer: Answer) -> str:
    """What was answered, in one line: the message, or the value of a call."""
    if case.moment is not None:
        # How far it had come is another thing every time.
        return _cell(", ".join(filter(None, case.parts))) or "(nothing, or how far it had come)"
    lines = message(answer.err)
    if case.call and answer.code == 0:
        lines = answer.out.strip().splitlines()[:1]
    shown = " / ".join(line.strip() for line in lines[:3])
    rest = f" … ({len(lines)} lines)" if len(lines) > 3 else ""
    for pattern, instead in VARIES:
        shown = re.sub(pattern, instead, shown)
    return (_cell(shown) or "(nothing)") + rest


def row(group: str, case: Case, answer: Answer) -> str:
    """The line of a case."""
    known = KNOWN.get(f"{group}: {case.name}")
    code = "no end" if answer.code is None else str(answer.code)
    if len(case.codes) > 1:
        code = " or ".join(map(str, case.codes))
    if known is not None:
        return f"| {group} | {_cell(case.name)} | known | {_cell(known)} |"
    return f"| {group} | {_cell(case.name)} | {code} | {answer_line(case, answer)} |"


def key_of(group: str, case: Case) -> str:
    """How the line of a case begins."""
    return f"| {group} | {_cell(case.name)} |"


def written(rows: Mapping[str, list[str]]) -> str:
    """The whole page."""
    text = HEAD
    for group, lines in rows.items():
        text += f"## {group}: {len(lines)} cases\n\n| group | case | exit | answer |\n|---|---|--:|---|\n"
        text += "".join(f"{line}\n" for line in lines) + "\n"
    return text.rstrip("\n") + "\n"
