"""Every bad input has one clear answer, and costs nobody a file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local

import pytest

from answers.case import Case
from answers.cases import GROUPS, LEAST
from answers.runner import Answer, Unavailable, Warm, run

AT_ONCE = 2
CASES = [(group, case) for group, cases in GROUPS.items() for case in cases]
Answers = dict[str, Answer | str]


def name_of(group: str, case: Case) -> str:
    return f"{group}: {case.name}"


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """What came of every case that is asked for, several at a time; a text says why a case cannot be."""
    wanted = {
        name_of(item.callspec.params["group"], item.callspec.params["case"])
        for item in request.session.items
        if hasattr(item, "callspec") and item.fspath == request.fspath and "group" in item.callspec.params
    }
    top = tmp_path_factory.mktemp("answers")
    mine = local()
    warmed: list[Warm] = []

    def answer(number: int) -> Answer | str:
        if not hasattr(mine, "warm"):
            mine.warm = Warm()
            warmed.append(mine.warm)
        try:
            return run(CASES[number][1], top / str(number), mine.warm)
        except Unavailable as reason:
            return str(reason)

    chosen = [number for number, each in enumerate(CASES) if name_of(*each) in wanted]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip((name_of(*CASES[each]) for each in chosen), pool.map(answer, chosen), strict=True))
    yield found
    for each in warmed:
        each.close()


@pytest.mark.parametrize(("group", "case"), CASES, ids=[name_of(*each) for each in CASES])
def test_case(answers: Answers, group: str, case: Case) -> None:
    answer = answers[name_of(group, case)]
    if isinstance(answer, str):
        pytest.skip(answer)
    came = f"\n  {case.asked}\n  code: {answer.code}\n  err: {answer.err[:2000]}\n  out: {answer.out[:500]}"
    assert not answer.faults, "; ".join(answer.faults) + came


def test_the_groups_are_as_large_as_they_should_be() -> None:
    assert {group: len(cases) for group, cases in GROUPS.items() if len(cases) < LEAST[group]} == {}
    names = [name_of(*each) for each in CASES]
    assert sorted({each for each in names if names.count(each) > 1}) == []


class TestTheRunner:
    """A case that is not as it says is noticed."""

    @pytest.mark.parametrize(
        ("case", "fault"),
        [
            (Case("", "trace info t.csv"), "ended with 0, not 2"),
            (Case("", "trace info gone.csv", code=0), "ended with 2, not 0"),
            (Case("", "trace info gone.csv", says="a unicorn"), "does not say 'a unicorn'"),
            (Case("", "trace convert t.csv out.csv", code=0), "wrote out.csv"),
            (Case("", "trace convert t.csv notes.txt --as csv --force", code=0), "changed notes.txt"),
            (Case("", call="os.unlink('notes.txt')", code=0), "lost notes.txt"),
            (Case("", call="Path('.left').touch()", code=0), "left .left"),
            (Case("", call="os.abort()"), "crashed"),
            (Case("", call="import time\ntime.sleep(9)", seconds=0.2), "did not end within"),
            (Case("", call="None + 1", raises="TypeError"), "says 'NoneType'"),
            (Case("", call="raise KeyError(5)"), "raises no InputError"),
            (Case("", call="raise reclaim.InputError('a\\nb\\nc\\nd\\ne')"), "takes 5 lines"),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )
    def test_notices(self, tmp_path: Path, case: Case, fault: str) -> None:
        warm = Warm()
        try:
            faults = run(case, tmp_path / "case", warm).faults
        finally:
            warm.close()
        assert any(each.startswith(fault) for each in faults), faults
