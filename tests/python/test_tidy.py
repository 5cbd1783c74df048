"""The tidy test: who may use whom, text, lengths; and that the checker finds what it should."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tidy
from codebase.drawing import Drawing, faults
from codebase.rooms import Codebase, read_codebase
from tidy_rules.checks import Violation, violations
from tidy_rules.known import compare, counted, grown, with_known
from tidy_rules.settings import RULES, RulesError, matches, read_rules
from tidy_rules.sources import source_files

REPOSITORY = Path(__file__).parents[2]
RULE_FILE = r"""
[[direction]]
name = "low-knows-no-high"
files = ["crates/one/src/low/"]
never = ["crates/one/src/high/"]
say = "hand it in"
exempt = [{ files = ["crates/one/src/low/mod.rs"], text = "Allowed", reason = "made up" }]

[[direction]]
name = "leaf"
files = ["python/reclaim/leaf.py"]
only = ["python/reclaim/deeper.py"]
say = "a leaf"

[[text]]
name = "wombat"
pattern = '(?i:wombat)'
say = "say marsupial"
exempt = [{ files = ["docs/zoo.md"], text = "wombat house", reason = "made up" }]

[[text]]
name = "no-impl"
pattern = '\bimpl\b[^;{}]*\bEngine\b'
find = ["engine"]
code = true
files = ["crates/one/src/*"]
say = "elsewhere"

[circles]
rooms = ["crates/one/*"]

[[width]]
name = "prose"
files = ["*.md"]
most = 20
without = '^\|'
say = "wrap it"

[length]
most = 3
files = ["python/*.py"]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout without anything to complain of."""
    write(tmp_path, "tests/tidy.toml", RULE_FILE)
    write(tmp_path, "crates/one/Cargo.toml", '[package]\nname = "one"\n')
    write(tmp_path, "crates/one/src/lib.rs", "pub mod low;\npub mod high;\n")
    write(tmp_path, "crates/one/src/low/mod.rs", "pub struct Low;\n")
    write(tmp_path, "crates/one/src/high/mod.rs", "use crate::low::Low;\npub struct Engine(Low);\n")
    write(tmp_path, "python/reclaim/__init__.py", "")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def found(root: Path) -> list[str]:
    """What breaks a rule: where, and which rule."""
    return [f"{each.file}:{each.line} {each.rule}" for each in tidy.look(root)[1]]


@pytest.fixture(scope="module")
def repository() -> Codebase:
    """What the sources of this checkout name of each other."""
    return read_codebase(REPOSITORY)


def test_the_repository_keeps_to_the_rules(repository: Codebase) -> None:
    rules = read_rules(REPOSITORY / RULES)
    everything = violations(rules, source_files(REPOSITORY), repository)
    messages = compare(everything, rules.known)
    assert not messages, "\n".join(["", *messages])


def test_every_rule_looks_at_something() -> None:
    """A path that is misspelt would make a rule that cannot fail."""
    rules, files = read_rules(REPOSITORY / RULES), source_files(REPOSITORY)
    for rule in [*rules.directions, *rules.texts, *rules.widths]:
        assert any(matches(file, rule.files or ["*"]) for file in files), rule.name
    assert any(matches(file, rules.longest_file_of) for file in files)
    for pattern in rules.room_circles:
        assert any(matches(file, [pattern]) for file in files), pattern


def test_the_drawing_of_the_architecture_is_true(repository: Codebase) -> None:
    drawing = Drawing.of((REPOSITORY / "ARCHITECTURE.md").read_text())
    wrong = faults(drawing, repository)
    assert not wrong, "\n".join(["", *wrong])
    assert 8 <= len(drawing.boxes) <= 15


def test_the_architecture_says_who_asks_which_component() -> None:
    asked = [each for each in read_rules(REPOSITORY / RULES).texts if each.name.startswith("asks-")]
    assert len(asked) > 10
    for rule in asked:
        (exempt,) = rule.exempt or []
        assert len(exempt.files) > 1, rule.name
        assert all((REPOSITORY / file).is_file() for file in exempt.files), rule.name


def test_a_component_that_reaches_out_or_is_reached_into_is_found(tmp_path: Path) -> None:
    for file in source_files(REPOSITORY):
        if file.startswith("crates/") or file in ("ARCHITECTURE.md", RULES.as_posix()):
            write(tmp_path, file, (REPOSITORY / file).read_text())
    write(tmp_path, "python/reclaim/__init__.py", "")
    engine = tmp_path / "crates/sim/src/engine"
    for file, planted in [
        ("stalls.rs", "use super::dies::Dies;\npub struct Open {\n    pub(super) state: u32,\n}\n"),
        ("units.rs", "impl Drive {\n    fn peep(&self) {\n        self.stalls.take_has_begun();\n    }\n}\n"),
    ]:
        path = engine / file
        path.write_text(planted + path.read_text())
    planted_rules = {"direction.engine-components", "text.engine-fields", "text.asks-stalls"}
    assert {each.rule for each in tidy.look(tmp_path)[1]} >= planted_rules


def test_a_checkout_without_faults_is_silent(tree: Path) -> None:
    assert found(tree) == []


def test_a_forbidden_direction(tree: Path) -> None:
    write(
        tree,
        "crates/one/src/low/mod.rs",
        "pub struct Low;\nuse crate::high::Engine;\nuse crate::high::Engine as Allowed;\n",
    )
    assert "crates/one/src/low/mod.rs:2 direction.low-knows-no-high" in found(tree)
    assert "crates/one/src/low/mod.rs:3 direction.low-knows-no-high" not in found(tree)


def test_a_leaf_names_only_what_is_listed(tree: Path) -> None:
    write(tree, "python/reclaim/deeper.py", "import json\n")
    write(tree, "python/reclaim/other.py", "")
    write(tree, "python/reclaim/leaf.py", "import os\nimport reclaim.deeper\nimport reclaim.other\n")
    assert found(tree) == ["python/reclaim/leaf.py:3 direction.leaf"]


def test_circles_of_files_and_of_rooms(tree: Path) -> None:
    write(tree, "crates/one/src/low/mod.rs", "mod part;\nuse part::Part;\npub struct Low(Part);\n")
    write(tree, "crates/one/src/low/part.rs", "use super::Low;\npub struct Part;\n")
    assert found(tree) == [
        "crates/one/src/low/mod.rs:2 circle.files",
        "crates/one/src/low/part.rs:1 circle.files",
    ]
    write(tree, "crates/one/src/low/part.rs", "use crate::high::other::Other;\npub struct Part;\n")
    write(tree, "crates/one/src/high/other.rs", "pub struct Other;\n")
    assert [each for each in found(tree) if "circle" in each] == [
        "crates/one/src/high/mod.rs:1 circle.rooms",
        "crates/one/src/low/part.rs:1 circle.rooms",
    ]


def test_a_circle_is_told_with_the_way_back_and_only_the_shortest(tree: Path) -> None:
    write(tree, "crates/one/src/low/mod.rs", "use crate::high::Engine;\npub struct Low;\n")
    for number in range(12):
        write(
            tree,
            f"crates/one/src/low/n{number}.rs",
            f"use super::n{(number + 1) % 12}::f;\npub fn f() {{}}\n",
        )
    rules, everything = tidy.look(tree)
    told = [each for each in compare(everything, rules.known) if "circle.files" in each]
    assert told[0].startswith(
        "crates/one/src/high/mod.rs:1: names crate::low::Low of crates/one/src/low/mod.rs, "
    )
    assert "(by crates/one/src/low/mod.rs:1)" in told[0]
    assert len(told) == 11
    assert told[-1] == "  and 4 longer ways round, known ones among them  [circle.files]"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("A wombat.\n", [1]),
        ("\nlet big_wombats = TheWombat::new(wombat_ns);\n", [2]),
        ("the wombat house\n", []),
        ("the wombat home\n", [1]),
    ],
)
def test_text_that_no_file_may_hold(tree: Path, text: str, lines: list[int]) -> None:
    write(tree, "docs/zoo.md", text)
    write(tree, "python/reclaim/zoo.py", "wombat = 1\n")
    places = [each.split()[0] for each in found(tree) if "text.wombat" in each]
    assert places == [*(f"docs/zoo.md:{line}" for line in lines), "python/reclaim/zoo.py:1"]


def test_patterns_over_code_leave_out_comments_strings_and_tests(tree: Path) -> None:
    code = '// impl Engine\nconst S: &str = "impl Engine";\n#[cfg(test)]\nmod t { impl Engine {} }\n'
    write(tree, "crates/one/src/low/mod.rs", f"pub struct Low;\n{code}impl<T> Show for Engine<T> {{}}\n")
    assert found(tree) == ["crates/one/src/low/mod.rs:6 text.no-impl"]


def test_long_lines(tree: Path) -> None:
    long = "x" * 21
    write(tree, "docs/a.md", f"{long}\n| {long}\n```\n{long}\n```\n{long[1:]}\n{'é' * 20}\n{long}\n")
    assert found(tree) == ["docs/a.md:1 width.prose", "docs/a.md:8 width.prose"]


def test_long_files(tree: Path) -> None:
    write(tree, "python/reclaim/three.py", "x = 1\n" * 3)
    write(tree, "python/reclaim/four.py", "x = 1\n" * 4)
    assert found(tree) == ["python/reclaim/four.py:4 length"]
    rules, everything = tidy.look(tree)
    assert compare(everything, rules.known) == [], "a warning"


def test_messages_say_where_and_what_to_do(tree: Path) -> None:
    write(tree, "docs/zoo.md", "\nThe wombats.\n")
    rules, everything = tidy.look(tree)
    assert compare(everything, rules.known) == [
        'docs/zoo.md:2: "wombat": say marsupial  [text.wombat]',
    ]


def test_what_is_known_may_stay_but_not_grow_and_not_be_gone(tree: Path) -> None:
    write(tree, "docs/zoo.md", "a wombat\ntwo wombats\n")
    everything = tidy.look(tree)[1]
    assert compare(everything, {"text.wombat": {"docs/zoo.md": 2}}) == []
    more = compare(everything, {"text.wombat": {"docs/zoo.md": 1}})
    assert [message.split(":")[0] for message in more] == [
        "docs/zoo.md",
        "docs/zoo.md",
        "  1 of these 2 are new",
    ]
    (gone,) = compare(everything, {"text.wombat": {"docs/zoo.md": 3}})
    assert "docs/zoo.md is listed with 3, but 2 are left" in gone
    (moved,) = compare(everything, {"text.wombat": {"docs/zoo.md": 2, "docs/no-more.md": 1}})
    assert "docs/no-more.md is listed with 1, but 0 are left" in moved


def test_the_list_is_renewed_only_if_no_rule_is_broken_more_often(tree: Path) -> None:
    write(tree, "docs/zoo.md", "a wombat\ntwo wombats\n")
    rules, everything = tidy.look(tree)
    known = counted(everything)
    assert known == {"text.wombat": {"docs/zoo.md": 2}}
    assert grown(rules.known, known) == ["text.wombat: 0 -> 2"]
    assert grown({"text.wombat": {"docs/a.md": 1, "docs/b.md": 1}}, known) == []
    with pytest.raises(ValueError, match="no line begins"):
        with_known(RULE_FILE, known)
    write(tree, "tests/tidy.toml", with_known(RULE_FILE + "# ---- known: none\n", known))
    assert read_rules(tree / RULES).known == known
    assert compare(everything, read_rules(tree / RULES).known) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pattern = '(?i:wombat)'", "patern = 'wombat'", 'rule "wombat": unknown keys: patern'),
        ("pattern = '(?i:wombat)'", "", 'rule "wombat": '),
        ('never = ["crates/one/src/high/"]', "", 'direction "low-knows-no-high": give one of never and only'),
        ("most = 3\n", "most = 3\nleast = 1\n", "unknown keys: least"),
        (', reason = "made up" }', " }", 'rule "without a name"'),
        ('find = ["engine"]', 'find = ["enigne"]', "not in the pattern: enigne"),
    ],
)
def test_rules_that_are_misspelt(tree: Path, old: str, new: str, message: str) -> None:
    write(tree, "tests/tidy.toml", RULE_FILE.replace(old, new, 1))
    with pytest.raises(RulesError, match=message):
        read_rules(tree / RULES)


def test_only_sources_are_read_and_git_is_not_needed(tree: Path) -> None:
    for path in ("crates/target/x.rs", "python/reclaim/__pycache__/x.py", ".venv/x.py", "docs/.hidden.md"):
        write(tree, path, "wombat\n")
    write(tree, "docs/picture.png", "wombat\n")
    (tree / "docs" / "link.md").symlink_to(tree / "docs" / ".hidden.md")
    assert found(tree) == []
    assert not (tree / ".git").exists()
    copy = tree / "docs" / "copy.md"
    shutil.copy(tree / "docs" / ".hidden.md", copy)
    assert found(tree) == ["docs/copy.md:1 text.wombat"]


def test_violations_are_in_order(tree: Path) -> None:
    write(tree, "docs/b.md", "wombat\n")
    write(tree, "docs/a.md", "\nwombat\n")
    everything = violations(read_rules(tree / RULES), source_files(tree), read_codebase(tree))
    assert everything == sorted(everything)
    assert [(each.file, each.line) for each in everything] == [("docs/a.md", 2), ("docs/b.md", 1)]
    assert isinstance(everything[0], Violation)
