"""Look for what breaks the rules of tests/tidy.toml: `python tools/tidy.py`, or `make tidy`.

Without arguments: what is not known yet, and what is known but gone. `--all [RULE]` lists everything, known
or not.
`--renew` writes the list of what is known anew; it refuses if a rule is broken more often than before, unless
`--grow` says that this is meant (other work was merged, or a rule is new).
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from codebase.rooms import read_codebase
from tidy_rules.checks import Violation, violations
from tidy_rules.known import WARNINGS, compare, counted, grown, with_known
from tidy_rules.settings import RULES, Rules, read_rules
from tidy_rules.sources import source_files

ROOT = Path(__file__).resolve().parent.parent


def look(root: Path) -> tuple[Rules, list[Violation]]:
    """The rules of a checkout and everything that breaks them."""
    rules = read_rules(root / RULES)
    return rules, violations(rules, source_files(root), read_codebase(root))


def main(arguments: list[str]) -> int:
    """Print what is to be done; 1 if there is anything."""
    if arguments[:1] not in ([], ["--all"], ["--renew"], ["--grow"]):
        print("usage: python tools/tidy.py [--all [RULE] | --renew [--grow]]", file=sys.stderr)
        return 2
    rules, found = look(ROOT)
    if arguments[:1] == ["--all"]:
        chosen = [each for each in found if each.rule in arguments[1:] or len(arguments) == 1]
        print(*chosen, sep="\n")
        print(
            *(f"{count:6} {rule}" for rule, count in Counter(each.rule for each in chosen).most_common()),
            sep="\n",
        )
        return 0
    if arguments:
        new = counted(found)
        more = grown(rules.known, new)
        if more and "--grow" not in arguments:
            print("these rules are broken more often than before:", *more, sep="\n  ")
            return 1
        path = ROOT / RULES
        path.write_text(with_known(path.read_text(encoding="utf-8"), new), encoding="utf-8")
        return 0
    print(*(f"warning: {each}\n" for each in found if each.rule in WARNINGS), sep="", end="")
    messages = compare(found, rules.known)
    print(*messages, sep="\n") if messages else print(f"nothing new; {len(found)} known places")
    return int(bool(messages))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
