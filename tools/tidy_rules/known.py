"""What is known to break the rules: a list in tests/tidy.toml that only gets shorter."""

from __future__ import annotations

from collections import Counter

from tidy_rules.checks import Violation

Known = dict[str, dict[str, int]]

HEAD = "# ---- known:"
"""Everything from the line that begins so is written by `python tools/tidy.py`."""


WARNINGS = ("length",)
"""Rules that are only told of."""


def counted(found: list[Violation]) -> Known:
    """Violations by rule and file, without warnings."""
    known: Known = {}
    broken = Counter((each.rule, each.file) for each in found if each.rule not in WARNINGS)
    for (rule, file), count in sorted(broken.items()):
        known.setdefault(rule, {})[file] = count
    return known


MOST_CIRCLES = 10
"""One line can close many circles: messages about the shortest say enough."""


def compare(found: list[Violation], known: Known) -> list[str]:
    """What is to be done: violations that are not known, and known ones that are gone."""
    now = counted(found)
    messages = []
    for rule, files in now.items():
        more = [(file, count) for file, count in files.items() if count > known.get(rule, {}).get(file, 0)]
        if rule.startswith("circle."):
            messages += _shortest(found, rule, {file for file, _ in more}, known.get(rule, {}))
            continue
        for file, count in more:
            messages += [str(each) for each in found if (each.rule, each.file) == (rule, file)]
            if allowed := known.get(rule, {}).get(file, 0):
                messages.append(f"  {count - allowed} of these {count} are new: {allowed} are known here")
    for rule, files in known.items():
        for file, count in files.items():
            left = now.get(rule, {}).get(file, 0)
            if left < count:
                messages.append(
                    f'tests/tidy.toml: known."{rule}": {file} is listed with {count}, but {left} are left: '
                    "run `python tools/tidy.py --renew`"
                )
    return messages


def _shortest(found: list[Violation], rule: str, files: set[str], known: dict[str, int]) -> list[str]:
    """Ways round of files that are in no known one, then the shortest."""
    circles = sorted(
        (each for each in found if each.rule == rule and each.file in files),
        key=lambda circle: (circle.file in known, circle.what.count(","), circle),
    )
    rest = len(circles) - MOST_CIRCLES
    return [
        *map(str, circles[:MOST_CIRCLES]),
        *([f"  and {rest} longer ways round, known ones among them  [{rule}]"] if rest > 0 else []),
    ]


def grown(old: Known, new: Known) -> list[str]:
    """Rules that are broken more often than before, all files together: a file may be moved or split."""
    before = {rule: sum(files.values()) for rule, files in old.items()}
    after = {rule: sum(files.values()) for rule, files in new.items()}
    return [
        f"{rule}: {before.get(rule, 0)} -> {count}"
        for rule, count in after.items()
        if count > before.get(rule, 0)
    ]


def with_known(document: str, known: Known) -> str:
    """The text of tests/tidy.toml with another list of what is known."""
    rules, head, _ = document.partition(HEAD)
    if not head:
        raise ValueError(f"tests/tidy.toml: no line begins with {HEAD!r}")
    total = sum(sum(files.values()) for files in known.values())
    lines = [f"{HEAD} {total} places, written by `python tools/tidy.py --renew`; it only gets shorter.", ""]
    for rule, files in known.items():
        lines.append(f'[known."{rule}"]')
        lines += [f'"{file}" = {count}' for file, count in files.items()]
        lines.append("")
    return rules + "\n".join(lines)
