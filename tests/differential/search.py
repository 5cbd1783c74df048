"""Looks for a case on which the two simulators differ, and makes the one it finds smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.internal.conjecture import providers

from differential.case import Case, Request
from differential.compare import Outcome, first_difference, of_reclaim, of_reference, of_twin
from differential.coverage import Coverage, has_setting
from differential.drives import drives
from differential.own import asks_for_own, of_python, twin_of, with_own
from differential.rules import begin_run
from differential.traces import workloads

Check = Callable[[Case], str | None]


class DifferenceError(AssertionError):
    """The simulators differ on a case."""

    def __init__(self, case: Case, what: str) -> None:
        # With both, or no other process could hand it on.
        super().__init__(case, what)
        self.case = case
        self.what = what

    def __str__(self) -> str:
        return self.what


@st.composite
def cases(draw: st.DrawFn, only: Sequence[str] = ()) -> Case:
    """A random drive and a random trace; where settings are named, of a drive that has one of them.

    Settings that are joined by `+` are wanted together.
    """
    wanted = [setting.split("+") for setting in only]
    named = [setting for together in wanted for setting in together]
    own = asks_for_own(named)
    drive = draw(drives([setting for setting in named if setting not in own]))
    if own:
        tree = draw(with_own(drive.tree, own))
        assume(tree is not None)
        drive = replace(drive, tree=tree or {})
    has = [all(has_setting(drive.tree, setting) for setting in together) for together in wanted]
    assume(not only or any(has))
    workload = draw(workloads(crowded=drive.crowded))
    return Case(drive.tree, workload.requests(drive.pages, drive.page_bytes))


def difference(case: Case, coverage: Coverage | None = None) -> str | None:
    """What the simulators differ in on a case, if in anything; a crash of either is a difference, too."""
    if case.played_streams:
        case = case.from_zero()
    try:
        ours, config = of_reclaim(case)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the search is for
        return f"reclaim fails: {type(error).__name__}: {error}"
    if coverage is not None:
        coverage.add(case, ours)
    begin_run()
    try:
        reference = of_reference(config, case)
    except Exception as error:  # noqa: BLE001
        return f"the reference fails: {type(error).__name__}: {error}"
    if coverage is not None:
        coverage.rules.end_run()
    return first_difference(ours, reference) or twins_difference(case, ours, coverage)


def twins_difference(case: Case, ours: Outcome, coverage: Coverage | None = None) -> str | None:
    """What the twins in Python of its built-ins make other than these, if anything."""
    twin = twin_of(case.drive)
    if twin is None:
        return None
    try:
        found = of_twin(case.with_drive(twin))
    except Exception as error:  # noqa: BLE001
        return f"with twins in Python reclaim fails: {type(error).__name__}: {error}"
    if coverage is not None:
        coverage.used.update(f"{key} has a twin in Python" for key in of_python(twin))
    # Counters of starts are each policy's own (14.14), and a twin names no limit (14.11).
    what = first_difference(comparable(found), comparable(ours))
    return (
        what and f"twins in Python (here called reclaim; the built-ins, reference) make a difference: {what}"
    )


def comparable(outcome: Outcome) -> Outcome:
    """What a built-in and its twin in Python must agree on."""
    counters = {
        name: value for name, value in outcome.counters.items() if not name.startswith("gc.concurrency.")
    }
    timeline = [{**row, "allowed_channels": 0} for row in outcome.timeline]
    return replace(outcome, counters=counters, timeline=timeline)


def search(seeds: Iterable[int], coverage: Coverage | None = None, only: Sequence[str] = ()) -> None:
    """Compare on the random case of each seed; where settings are named, on one that has one of them.

    A seed for which chance finds no such case is left out.

    Raises:
        DifferenceError: with the smallest case found.
    """
    for number in seeds:
        _search(number, coverage, only)


def _search(number: int, coverage: Coverage | None, only: Sequence[str]) -> None:
    drawn = 0

    @st.composite
    def numbered(draw: st.DrawFn) -> tuple[int, Case]:
        nonlocal drawn
        drawn += 1
        return drawn, draw(cases(only))

    # Hypothesis begins with the simplest case there is, which is no news, and after a random one goes on with
    # others much like it: the first but that one has nothing to do with those of other seeds.
    @seed(number)
    @settings(
        max_examples=1,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(numbered())
    def compare(drawn_case: tuple[int, Case]) -> None:
        place, case = drawn_case
        assume(place > 1)
        what = difference(case, coverage)
        # Whether a trace leaves more pages valid than that is not known before it is drawn.
        assume(what is None or "InputError: warmup.valid_share" not in what)
        if what is not None:
            raise DifferenceError(case, what)

    # Hypothesis now and then draws a number that stands in a module which happens to be imported: so a seed
    # would be another case in every process.
    plain = patch.object(providers.HypothesisProvider, "_maybe_draw_constant", lambda *_, **__: None)
    # Where chance has found no such case after some hundred tries, the seed is left out.
    with plain, suppress(Unsatisfiable):
        compare()


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
