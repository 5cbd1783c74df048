"""Every bad input has one clear answer, and costs nobody a file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from answers.case import Case
from answers.cases import GROUPS, LEAST
from answers.runner import Answer, Unavailable, Warm, run

AT_ONCE = 2
CASES = {f"{group}: {case.name}": case for group, cases in GROUPS.items() for case in cases}
Answers = dict[str, Answer | str]


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """What came of every case that is asked for, several at a time; a text says why a case cannot be."""
    items = [each for each in request.session.items if each.fspath == request.fspath]
    given = [each.callspec.params for each in items if hasattr(each, "callspec")]
    wanted = [each["name"] for each in given if "name" in each]
    top = tmp_path_factory.mktemp("answers")
    warmed = [Warm() for _ in range(AT_ONCE)]
    idle = list(warmed)

    def answer(name: str) -> Answer | str:
        mine = idle.pop()
        try:
            return run(CASES[name], top / str(wanted.index(name)), mine)
        except Unavailable as reason:
            return str(reason)
        finally:
            idle.append(mine)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield dict(zip(wanted, pool.map(answer, wanted), strict=True))
    for each in warmed:
        each.close()


@pytest.mark.parametrize("name", CASES)
def test_case(answers: Answers, name: str) -> None:
    answer, case = answers[name], CASES[name]
    if isinstance(answer, str):
        pytest.skip(answer)
    came = f"\n  {case.asked}\n  code: {answer.code}\n  err: {answer.err[:2000]}\n  out: {answer.out[:500]}"
    assert not answer.faults, "; ".join(answer.faults) + came


def test_no_case_is_lost() -> None:
    assert len(CASES) == sum(map(len, GROUPS.values())), "two are called the same"
    assert {group: len(cases) for group, cases in GROUPS.items() if len(cases) < LEAST[group]} == {}


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    made = Warm()
    yield made
    made.close()


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
        (Case("", call="raise KeyError('a' * 30000)", raises="KeyError"), "is long"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_runner_notices(tmp_path: Path, warm: Warm, case: Case, fault: str) -> None:
    faults = run(case, tmp_path / "case", warm).faults
    assert any(each.startswith(fault) for each in faults), faults
