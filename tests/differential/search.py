"""Looks for a case on which the two simulators differ, and makes the one it finds smaller."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from differential.case import Case, Request
from differential.compare import first_difference, of_reclaim, of_reference
from differential.coverage import Coverage
from differential.drives import drives
from differential.traces import workloads

Check = Callable[[Case], str | None]


class DifferenceError(AssertionError):
    """The simulators differ on a case."""

    def __init__(self, case: Case, what: str) -> None:
        super().__init__(what)
        self.case = case
        self.what = what


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A random drive and a random trace."""
    drive = draw(drives())
    workload = draw(workloads())
    return Case(drive.tree, workload.requests(drive.capacity_bytes, drive.page_bytes))


def difference(case: Case, coverage: Coverage | None = None) -> str | None:
    """What the simulators differ in on a case, if in anything; a crash of either is a difference, too."""
    try:
        ours, config = of_reclaim(case)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the search is for
        return f"reclaim fails: {type(error).__name__}: {error}"
    if coverage is not None:
        coverage.add(case, ours)
    try:
        reference = of_reference(config, case)
    except Exception as error:  # noqa: BLE001
        return f"the reference fails: {type(error).__name__}: {error}"
    return first_difference(ours, reference)


def search(runs: int, *, fixed: bool, seed_: int = 0, coverage: Coverage | None = None) -> None:
    """Compare on so many random cases: always the same ones, or those of a seed.

    Raises:
        DifferenceError: with the smallest case found.
    """

    @settings(
        max_examples=runs,
        derandomize=fixed,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases())
    def compare(case: Case) -> None:
        what = difference(case, coverage)
        if what is not None:
            raise DifferenceError(case, what)

    if fixed:
        compare()
    else:
        seed(seed_)(compare)()


def shortened(case: Case, check: Check = difference) -> Case:
    """The case without the requests that its difference does not need."""
    requests = list(case.requests)
    length = len(requests)
    while length > 0:
        at = 0
        while at < len(requests):
            rest: list[Request] = requests[:at] + requests[at + length :]
            if rest and check(case.with_requests(rest)) is not None:
                requests = rest
            else:
                at += length
        length //= 2
    return case.with_requests(requests)
