"""The tidy test: who may use whom, text, the drawing of the architecture; and breaches are found."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import drawing
import tidy
from rust_names import Crates

ROOT = Path(__file__).parents[2]
RULES = r"""
[[rule]]
name = "low-knows-no-high"
files = ["crates/one/src/low/"]
never = ["crates/one/src/high/"]
say = "hand it in"
exempt = [{ files = ["crates/one/src/low/mod.rs"], text = "Allowed", reason = "made up" }]

[[rule]]
name = "leaf"
files = ["python/zoo/leaf.py"]
only = ["python/zoo/deeper.py"]
say = "a leaf"

[[rule]]
name = "wombat"
files = ["docs/"]
code = true
pattern = '(?i:wombat)'
say = "say marsupial"
exempt = [{ files = ["docs/zoo.md"], text = "wombat house", reason = "made up" }]

[[rule]]
name = "no-impl"
pattern = '\bimpl\b[^;{}]*\bEngine\b'
code = true
files = ["crates/one/src/*"]
say = "elsewhere"

[circles]
rooms = ["crates/one/*"]

[length]
most = 3
files = ["python/*.py"]
"""


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files; those of the crate `one` by what follows `crates/one/`."""
    for path, text in files.items():
        place = root / (f"crates/one/{path}" if path.startswith("src/") else path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout without anything to complain of."""
    files = {
        tidy.RULES: RULES,
        "crates/one/Cargo.toml": '[package]\nname = "crate-one"\n',
        "src/lib.rs": "pub mod low;\npub mod high;\n",
        "src/low/mod.rs": "pub struct Low;\n",
        "src/high/mod.rs": "use crate::low::Low;\npub struct Engine(Low);\n",
        "python/zoo/__init__.py": "",
        "python/zoo/deeper.py": "",
        "python/zoo/other.py": "",
    }
    return write(tmp_path, files)


def found(root: Path) -> list[str]:
    """What breaks a rule: where, and which rule."""
    return [f"{line.split()[0].strip(':')} {line.rsplit('[')[-1].strip(']')}" for line in tidy.look(root)[0]]


def test_the_repository_keeps_to_the_rules() -> None:
    messages, _ = tidy.look(ROOT)
    assert not messages, "\n".join(["", *messages])


def test_every_rule_looks_at_something() -> None:
    """A path that is misspelt would make a rule that cannot fail."""
    files = tidy.source_files(ROOT)
    rules, more = tidy.read_rules(files[tidy.RULES], files["ARCHITECTURE.md"])
    asked = [rule for rule in rules if rule.name.startswith("asks-")]
    assert len(asked) > 10
    for patterns in (more["length"]["files"], more["circles"]["rooms"], *(rule.files for rule in rules)):
        for pattern in patterns:
            assert any(tidy.matches(file, [pattern]) for file in files), pattern
    for rule in rules:
        for pattern in (
            *rule.never,
            *(rule.only or ()),
            *(file for each in rule.exempt for file in each["files"]),
        ):
            assert any(tidy.matches(file, [pattern]) for file in files), (rule.name, pattern)


def test_components_that_reach_out_or_are_reached_into_are_found(tmp_path: Path) -> None:
    for file in tidy.source_files(ROOT):
        if file.startswith("crates/") or file in ("ARCHITECTURE.md", tidy.RULES):
            write(tmp_path, {file: (ROOT / file).read_text()})
    write(tmp_path, {"python/zoo/__init__.py": ""})
    engine = tmp_path / "crates/sim/src/engine"
    for name, planted in [
        ("stalls.rs", "use super::dies::Dies;\npub struct Open {\n    pub(super) state: u32,\n}\n"),
        ("units.rs", "impl Drive {\n    fn peep(&self) {\n        self.stalls.take_has_begun();\n    }\n}\n"),
    ]:
        (engine / name).write_text(planted + (engine / name).read_text())
    assert {each.split()[1] for each in found(tmp_path)} >= {
        "engine-components",
        "engine-fields",
        "asks-stalls",
    }


def test_examples_of_the_checker_are_true() -> None:
    assert [doctest.testmod(each).failed for each in (tidy, drawing)] == [0, 0]


def test_a_checkout_without_faults_is_silent(tree: Path) -> None:
    assert tidy.look(tree) == ([], [])


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {
                "src/low/mod.rs": "pub struct Low;\nuse crate::high::Engine;\n"
                "use crate::high::Engine as Allowed;\n"
            },
            ["crates/one/src/low/mod.rs:2 low-knows-no-high"],
        ),
        (
            {"python/zoo/leaf.py": "import os\nimport zoo.deeper\nfrom zoo import other\n"},
            ["python/zoo/leaf.py:3 leaf"],
        ),
        (
            {"python/zoo/leaf.py": "from zoo._core import x\nfrom zoo import Lion\n"},
            ["python/zoo/leaf.py:2 leaf", "python/zoo/leaf.py:1 leaf"],
        ),
        ({"docs/zoo.md": "a wombat\n\nthe wombat house\n```\nwombat\n```\nWombat\n"}, [1, 7]),
        (
            {
                "src/low/mod.rs": '// impl Engine\nconst S: &str = "impl Engine";\n#[cfg(test)]\n'
                "mod t { impl Engine {} }\npub struct Low;\nimpl<T> Show for Engine<T> {}\n"
            },
            ["crates/one/src/low/mod.rs:6 no-impl"],
        ),
    ],
)
def test_breaches_are_found(tree: Path, files: dict[str, str], expected: list[str | int]) -> None:
    lines = found(write(tree, files))
    assert lines[: len(expected)] == [
        f"docs/zoo.md:{at} wombat" if isinstance(at, int) else at for at in expected
    ]
    assert all("circle" in each for each in lines[len(expected) :])


def test_circles_of_files_and_of_rooms(tree: Path) -> None:
    write(tree, {"src/low/mod.rs": "mod part;\nuse part::Part;\npub struct Low(Part);\n"})
    write(tree, {"src/low/part.rs": "use super::Low;\npub struct Part;\n"})
    steps = ["crates/one/src/low/mod.rs:2 circle.files", "crates/one/src/low/part.rs:1 circle.files"]
    assert sorted(found(tree)) == steps
    write(tree, {"src/low/part.rs": "use crate::high::other::Other;\npub struct Part;\n"})
    write(tree, {"src/high/other.rs": "pub struct Other;\n"})
    steps = ["crates/one/src/high/mod.rs:1 circle.rooms", "crates/one/src/low/part.rs:1 circle.rooms"]
    assert sorted(each for each in found(tree) if "circle" in each) == steps


def test_circles_of_python_files(tree: Path) -> None:
    write(tree, {"python/zoo/other.py": "def f():\n    from zoo import deeper\n"})
    only_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import zoo.other\n"
    assert found(write(tree, {"python/zoo/deeper.py": only_types})) == []
    assert len(found(write(tree, {"python/zoo/deeper.py": "import zoo.other\n"}))) == 2


def test_names_that_are_only_handed_on_close_no_circle(tree: Path) -> None:
    write(tree, {"src/low/mod.rs": "mod b;\npub use b::B;\npub struct Low;\n"})
    assert found(write(tree, {"src/low/b.rs": "use super::Low;\npub struct B;\n"})) == []


def test_long_files_are_a_warning(tree: Path) -> None:
    write(tree, {"python/zoo/three.py": "x = 1\n" * 3, "python/zoo/four.py": "x = 1\n" * 4})
    messages, warnings = tidy.look(tree)
    assert messages == []
    assert [each.split(":")[0] for each in warnings] == ["python/zoo/four.py"]


def test_a_key_that_is_misspelt_is_an_error(tree: Path) -> None:
    write(tree, {tidy.RULES: RULES.replace("pattern =", "patern =", 1)})
    with pytest.raises(TypeError, match="patern"):
        tidy.look(tree)


def test_only_sources_are_read(tree: Path) -> None:
    for path in ("docs/target/x.md", "docs/.hidden.md", "docs/picture.png"):
        write(tree, {path: "wombat\n"})
    (tree / "docs" / "link.md").symlink_to(tree / "docs" / ".hidden.md")
    assert found(tree) == []


def edges(root: Path) -> list[str]:
    """The edges between files of the crate, in the order of their lines."""
    short = (each._replace(source=each.source[11:], target=each.target[11:]) for each in Crates(root).edges())
    return sorted(f"{each.source}:{each.line} {'' if each.binds else '(on) '}{each.target}" for each in short)


def test_every_way_to_name_something(tree: Path) -> None:
    files = {
        "src/high/mod.rs": "",
        "src/a/mod.rs": "pub struct A;\npub fn f() {}\n",
        "src/a/deep.rs": "use super::A;\nuse self::super::f as g;\npub struct D;\n",
        "src/b.rs": "use crate::{a::{self, deep::D, A}, c as d};\nfn h() { d::C::new(); a::f() }\n",
        "src/c.rs": "fn k() { let x = Vec::<crate::a::A>::new(); assert!(crate::b::h(x) == 1); }\n",
        "src/d.rs": "use crate::a::*;\nuse std::fmt;\nuse A as B;\nmod m {\n    use super::super::b::h;\n}\n",
    }
    assert edges(write(tree, files)) == [
        "src/a/deep.rs:1 src/a/mod.rs",
        "src/a/deep.rs:2 src/a/mod.rs",
        "src/b.rs:1 src/a/deep.rs",
        "src/b.rs:1 src/a/mod.rs",
        "src/b.rs:2 src/a/mod.rs",
        "src/b.rs:2 src/c.rs",
        "src/c.rs:1 src/a/mod.rs",
        "src/c.rs:1 src/b.rs",
        "src/d.rs:1 src/a/mod.rs",
        "src/d.rs:3 src/a/mod.rs",
        "src/d.rs:5 src/b.rs",
    ]


def test_names_that_are_handed_on_or_made_by_a_macro_are_followed(tree: Path) -> None:
    files = {
        "src/high/mod.rs": "",
        "src/lib.rs": "mod a;\nmod b;\npub use a::{Used, Thing as Other};\nfn f(_: Used) {}\n",
        "src/a/mod.rs": "mod inner;\npub use inner::*;\npub use inner::Thing;\n",
        "src/a/inner.rs": "pub struct Thing;\npub struct Used;\n",
        "src/b.rs": "use crate::Other;\nuse crate::a::Used;\n",
        "src/list.rs": "macro_rules! list {\n    ($($m:ident)*) => { $(mod $m;)* pub const ALL: u8 = 0;}}\n",
        "src/seam/mod.rs": "members! { one }\npub trait T {}\n",
        "src/seam/one.rs": "use super::T;\n",
        "src/user.rs": "fn f() -> u8 { crate::seam::ALL }\n",
        "crates/one/tests/t.rs": "use crate_one::Other;\nuse crate::common::helper;\n",
        "crates/one/tests/common/mod.rs": "pub fn helper() {}\n",
    }
    assert edges(write(tree, files)) == [
        "src/a/mod.rs:2 src/a/inner.rs",
        "src/a/mod.rs:3 (on) src/a/inner.rs",
        "src/b.rs:1 src/a/inner.rs",
        "src/b.rs:2 src/a/inner.rs",
        "src/lib.rs:3 src/a/inner.rs",
        "src/seam/one.rs:1 src/seam/mod.rs",
        "src/user.rs:1 src/seam/mod.rs",
        "tests/t.rs:1 src/a/inner.rs",
        "tests/t.rs:2 tests/common/mod.rs",
    ]


def test_comments_strings_and_tests_name_nothing(tree: Path) -> None:
    files = {
        "src/high/mod.rs": '// crate::low::Low\n/* use crate::low::Low; */\nconst S: &str = "low::Low";\n'
        "#[cfg(test)]\nmod tests {\n    use crate::low::Low;\n}\n#[cfg(test)]\nuse crate::low::Low;\n"
        "#[cfg(test)]\nmod only_tests;\n",
        "src/high/only_tests.rs": "use crate::low::Low;\n",
    }
    assert edges(write(tree, files)) == []


DRAWN = """before
```mermaid
flowchart TD
    top["above<br>crates/one/src/: high/ · main.rs"]
    low["below<br>crates/one/src/low/"]
    rest["the rest<br>crates/one/src/ · python/zoo/"]
    top --> low
    low --> rest
```
after
"""


@pytest.mark.parametrize(
    ("drawn", "shared", "expected"),
    [
        (DRAWN, "", []),
        (DRAWN, "use crate::high::Engine;\n", ["no arrows lead from rest to top"]),
        (
            DRAWN.replace("src/ · python", "python"),
            "",
            ["crates/one/src/shared.rs: is in no box", "nobody does"],
        ),
        (DRAWN.replace("/low/", "/lwo/"), "", ["box low: holds no file", "low --> rest: nobody does"]),
        (
            DRAWN.replace("    top -->", "    rest --> low\n    top -->"),
            "",
            [
                "box low: arrows lead back to it",
                "box rest: arrows lead back to it",
                "rest --> low: nobody does",
            ],
        ),
    ],
)
def test_a_drawing_is_true_if_files_name_only_what_is_below(
    tree: Path, drawn: str, shared: str, expected: list[str]
) -> None:
    write(tree, {"src/shared.rs": f"{shared}pub struct S;\n"})
    write(tree, {"src/low/mod.rs": "use crate::shared::S;\npub struct Low;\n"})
    crates = Crates(tree)
    faults = sorted(drawing.faults(drawn, crates.code, crates.edges()))
    assert all(any(each in fault for fault in faults) for each in expected), faults
    assert bool(faults) == bool(expected)
