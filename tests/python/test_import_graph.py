"""The import graph: small made-up crates and packages, whose edges and circles are known."""

from __future__ import annotations

from pathlib import Path

from codebase.drawing import Drawing, faults, summary
from codebase.graph import Graph, Kind
from codebase.rooms import Codebase, read_codebase
from codebase.rust_file import read_rust

LIB = 'crates/one/Cargo.toml:\n[package]\nname = "crate-one"\n'


def tree(root: Path, *files: str) -> Codebase:
    """Write files, each as its path, a colon and its text, beside a crate `one` and a package `reclaim`."""
    for file in (LIB, "crates/one/src/lib.rs:\n", "python/reclaim/__init__.py:\n", *files):
        path, text = file.split(":\n", 1)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return read_codebase(root)


def edges(codebase: Codebase) -> list[str]:
    """The edges between files, without the folders that all share."""
    found = []
    for (source, target), between in codebase.files.edges.items():
        short = [
            name.removeprefix("crates/one/").removeprefix("python/reclaim/") for name in (source, target)
        ]
        found += [f"{short[0]}:{edge.place.line} {edge.kind.value} {short[1]}" for edge in between]
    return found


def test_every_way_to_name_something(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/a/mod.rs:\npub struct A;\npub fn f() {}\n",
        "crates/one/src/a/deep.rs:\nuse super::A;\nuse self::super::f as g;\n",
        "crates/one/src/b.rs:\nuse crate::{a::{self, deep::D, A}, c as d};\nfn h() { d::C::new(); a::f() }\n",
        "crates/one/src/c.rs:\nfn k() { let x = Vec::<crate::a::A>::new(); assert!(crate::b::h(x) == 1); }\n",
        "crates/one/src/d.rs:\nuse crate::a::*;\nuse std::fmt;\nuse A as B;\n",
    )
    assert edges(one) == [
        "src/a/deep.rs:1 use src/a/mod.rs",
        "src/a/deep.rs:2 use src/a/mod.rs",
        "src/b.rs:1 use src/a/deep.rs",
        "src/b.rs:1 use src/a/mod.rs",
        "src/b.rs:2 path src/a/mod.rs",
        "src/b.rs:2 path src/c.rs",
        "src/c.rs:1 path src/a/mod.rs",
        "src/c.rs:1 path src/b.rs",
        "src/d.rs:1 use src/a/mod.rs",
        "src/d.rs:3 use src/a/mod.rs",
    ]


def test_names_that_are_handed_on_are_followed(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/lib.rs:\nmod a;\nmod b;\npub use a::{Used, Thing as Other};\nfn f(_: Used) {}\n",
        "crates/one/src/a/mod.rs:\nmod inner;\npub use inner::*;\npub use inner::Thing;\n",
        "crates/one/src/a/inner.rs:\npub struct Thing;\npub struct Used;\n",
        "crates/one/src/b.rs:\nuse crate::Other;\nuse crate::a::Used;\n",
        "crates/one/tests/t.rs:\nmod common;\nuse crate_one::Other;\nuse common::helper;\n",
        "crates/one/tests/common/mod.rs:\npub fn helper() {}\n",
    )
    assert edges(one) == [
        "src/a/mod.rs:2 use src/a/inner.rs",
        "src/a/mod.rs:3 re-export src/a/inner.rs",
        "src/b.rs:1 use src/a/inner.rs",
        "src/b.rs:2 use src/a/inner.rs",
        "src/lib.rs:3 use src/a/inner.rs",
        "tests/t.rs:2 use src/a/inner.rs",
        "tests/t.rs:3 use tests/common/mod.rs",
    ]


def test_comments_strings_and_tests_name_nothing(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/a.rs:\npub struct A;\n",
        'crates/one/src/b.rs:\n// crate::a::A\n/* use crate::a::A; */\nconst S: &str = "crate::a::A";\n'
        "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n#[cfg(test)]\nuse crate::a::A;\n",
        "crates/one/src/c.rs:\n#[cfg(test)]\nmod only_tests;\nmod inline {\n    use super::super::a::A;\n}\n",
        "crates/one/src/c/only_tests.rs:\nuse crate::a::A;\n",
    )
    assert edges(one) == ["src/c.rs:4 use src/a.rs"]


def test_a_macro_declares_modules_and_items(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/list.rs:\nmacro_rules! members {\n    ($($m:ident)*) => "
        "{ $(mod $m;)* pub const ALL: u8 = 0; }\n}\npub(crate) use members;\n",
        "crates/one/src/seam/mod.rs:\nuse crate::list::members;\nmembers! { one }\npub trait T {}\n",
        "crates/one/src/seam/one.rs:\nuse super::T;\n",
        "crates/one/src/user.rs:\nfn f() -> u8 { crate::seam::ALL }\n",
    )
    assert edges(one) == [
        "src/seam/mod.rs:1 use src/list.rs",
        "src/seam/one.rs:1 use src/seam/mod.rs",
        "src/user.rs:1 path src/seam/mod.rs",
    ]


def test_python_imports_and_when_they_are_carried_out(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "python/reclaim/__init__.py:\nfrom reclaim.a import A\nfrom reclaim.b import B\nB()\n",
        "python/reclaim/a.py:\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from reclaim.b import B\nelse:\n    from .cli import run\n"
        "def f():\n    from reclaim import cli, A\n",
        "python/reclaim/b.py:\nimport reclaim.a\nimport json\n",
        "python/reclaim/cli/__init__.py:\n",
        "python/reclaim/cli/run.py:\nfrom .. import A\n",
    )
    assert edges(one) == [
        "__init__.py:1 re-export a.py",
        "__init__.py:2 use b.py",
        "a.py:3 types b.py",
        "a.py:7 late cli/__init__.py",
        "a.py:5 use cli/run.py",
        "b.py:1 use a.py",
        "cli/run.py:1 use a.py",
    ]


def circle_of_three(tmp_path: Path) -> Codebase:
    return tree(
        tmp_path,
        "crates/one/src/a.rs:\nuse crate::b::B;\npub struct A;\n",
        "crates/one/src/b.rs:\nuse crate::c::C;\npub struct B;\n",
        "crates/one/src/c.rs:\nuse crate::a::A;\nuse crate::d::D;\npub struct C;\n",
        "crates/one/src/d.rs:\npub struct D;\n",
    )


def test_a_circle_is_found_with_the_lines_that_cause_it(tmp_path: Path) -> None:
    one = circle_of_three(tmp_path)
    (circle,) = one.files.binding().circles()
    assert circle == [f"crates/one/src/{name}.rs" for name in "abc"]
    loop = one.files.shortest_loop(circle)
    assert [f"{edge.place} {edge.text}" for edge in loop] == [
        "crates/one/src/a.rs:1 crate::b::B",
        "crates/one/src/b.rs:1 crate::c::C",
        "crates/one/src/c.rs:1 crate::a::A",
    ]
    assert "3: crates/one/src/a.rs, crates/one/src/b.rs, crates/one/src/c.rs" in summary(one)


def test_names_that_are_only_handed_on_close_no_circle(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/a/mod.rs:\nmod b;\npub use b::B;\npub struct A;\n",
        "crates/one/src/a/b.rs:\nuse super::A;\npub struct B;\n",
    )
    assert not one.files.binding().circles()
    assert len(one.files.circles()) == 1


DRAWN = """before
```mermaid
flowchart TD
    top["above<br>crates/one/src/: high/ · main.rs"]
    low["below<br>crates/one/src/low/"]
    rest["the rest<br>crates/one/src/ · python/reclaim/"]
    top --> low
    low --> rest
```
after
"""


def drawn_beside(tmp_path: Path, drawn: str = DRAWN, **files: str) -> list[str]:
    """What is wrong with a drawing of three boxes, of which the upper ones use the lower ones."""
    texts = {
        "high/mod": "use crate::low::Low;\nuse crate::shared::S;\n",
        "low/mod": "use crate::shared::S;\npub struct Low;\n",
        "shared": "pub struct S;\n",
    } | files
    one = tree(tmp_path, *(f"crates/one/src/{name}.rs:\n{text}" for name, text in texts.items()))
    return faults(Drawing.of(drawn), one)


def test_a_drawing_is_true_if_files_name_only_what_is_below(tmp_path: Path) -> None:
    assert drawn_beside(tmp_path) == []
    below = {"shared": "use crate::high::deep::D;\npub struct S;\n", "high/deep": "pub struct D;\n"}
    (upwards,) = drawn_beside(tmp_path, **below)
    named = "names crate::high::deep::D of crates/one/src/high/deep.rs"
    assert upwards == f"crates/one/src/shared.rs:1: {named}, and no arrows lead from rest to top"


def test_a_drawing_has_a_place_for_every_file_and_a_reason_for_every_arrow(tmp_path: Path) -> None:
    without_rest = DRAWN.replace("crates/one/src/ · python", "python")
    assert "crates/one/src/shared.rs: is in no box" in drawn_beside(tmp_path, without_rest)
    assert drawn_beside(tmp_path, DRAWN.replace("/low/", "/lwo/"))[:1] == ["box low: holds no file"]
    longer = DRAWN.replace("    top -->", "    rest --> low\n    top -->")
    assert drawn_beside(tmp_path, longer) == [
        "box low: arrows lead back to it",
        "box rest: arrows lead back to it",
        "rest --> low: nobody does",
    ]


def test_components_of_a_graph_without_edges() -> None:
    assert Graph("abc", []).components() == [["a"], ["b"], ["c"]]


def test_rooms_are_folders_and_files_beside_them(tmp_path: Path) -> None:
    one = tree(
        tmp_path,
        "crates/one/src/a.rs:\n",
        "crates/one/src/f/mod.rs:\n",
        "crates/one/src/f/g.rs:\n",
        "crates/one/src/f/g/h.rs:\n",
        "crates/one/examples/e.rs:\n",
    )
    rooms = {file.removeprefix("crates/one/"): one.room_of(file) for file in one.rust.files}
    assert rooms == {
        "src/lib.rs": "crates/one/lib.rs",
        "src/a.rs": "crates/one/a.rs",
        "src/f/mod.rs": "crates/one/f/",
        "src/f/g.rs": "crates/one/f/g/",
        "src/f/g/h.rs": "crates/one/f/g/",
        "examples/e.rs": "crates/one/examples/",
    }


def test_impl_blocks_are_known_by_their_type() -> None:
    file = read_rust("x.rs", b"impl<'a> Show for Drive<'a> {\n    fn f() {}\n}\nimpl crate::Drive {}\n")
    assert [(named.path[-1], named.line) for named in file.implements] == [("Drive", 1), ("Drive", 4)]


def test_kinds_that_bind() -> None:
    assert [kind.value for kind in Kind if not kind.binds] == ["types", "re-export"]
