"""Schemes that keep data apart, compared in a log without a drive."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reclaim import _core
from reclaim.arguments import checked, whole
from reclaim.errors import InputError
from reclaim.parsing import toml_value
from reclaim.policy.marks import is_policy, named
from reclaim.trace.trace import Trace

MIDAS = "midas"


@dataclass(frozen=True)
class LogReplay:
    """What a log wrote for a trace."""

    user_pages: int
    """Pages that the trace writes."""
    pages_written: int
    """Pages that the log wrote, for the trace and for collection."""
    collections: int
    """Segments collected."""

    @property
    def write_amplification(self) -> float:
        """Pages written per page of the trace."""
        return self.pages_written / self.user_pages


@checked
def replay_log(
    trace: Trace,
    *,
    separation: str | Mapping[str, Any] | Callable[..., Any] = "none",
    victim: str = "greedy",
    collected_apart: bool = True,
    page_bytes: int = 4096,
    segment_pages: int = 512,
    garbage_share: float = 0.15,
    spare: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> LogReplay:
    """Write a trace to a log, and count what collection writes again.

    This is how papers on data placement compare schemes: there is no drive. Data is appended to an open
    segment of `segment_pages` for each class; after a request, one segment is collected if more than
    `garbage_share` of all pages are garbage. The rules are those of the program that SepBIT was published
    with (Wang et al., FAST 2022): the log is empty at first, and without bounds.

    With `spare`, the log is bounded instead: it has the pages that the trace addresses and this share more
    (0.07: 7 %), each page is written once before anything counts, and segments are collected whenever fewer
    than four are free.

    `separation` is a member of `ftl.separation`, alone or with its parameters, as in
    `{"kind": "dac", "open_blocks": 4}`; or a policy of your own (`reclaim.separation_policy`), alone or as in
    `{"function": young_apart, "open_blocks": 3}`. As many classes of collected data as of the trace's are the
    same ones, with one open segment each. With `none`, `collected_apart` gives collected data a segment of
    its own (SepGC in that paper; without, NoSep). `victim` is `greedy` or `cost-benefit`.

    `midas`, which is no member of `ftl.separation`, needs `spare`, and from 100 to 4,096 segments. It follows
    the program that MiDAS was published with (Oh et al., FAST 2024): `victim` is of its last group, or
    `fifo`. Valid pages of an open segment that is merged into another are not counted, as there.

    `progress` is called about ten times a second with (requests done, total).

    Reads do nothing, trims make garbage. Raises `InputError` where the trace or a parameter makes no sense.

    >>> import reclaim
    >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 24, count=20_000)
    >>> log = reclaim.replay_log(trace, separation="sepbit", segment_pages=64)
    >>> log.user_pages, round(log.write_amplification, 1)
    (20000, 2.8)
    """
    if not 0 < garbage_share < 1:
        raise InputError(f"garbage_share = {garbage_share}; must be above 0 and below 1")
    if spare is not None and not 0 < spare < 10:
        raise InputError(f"spare = {spare}; must be above 0 and below 10, as in 0.07 for 7 %")
    settings = _settings(separation)
    if not trace.summary()["writes"]:
        raise InputError(f'the trace "{trace.name}" writes nothing')
    common: dict[str, Any] = {
        "victim": victim,
        "page_bytes": whole("page_bytes", page_bytes, lowest=512),
        "segment_pages": whole("segment_pages", segment_pages, lowest=2),
        "progress": progress,
    }
    if settings[0][1] == MIDAS:
        if settings[1:] or spare is None:
            wrong = settings[1][0] if settings[1:] else "spare = None"
            raise InputError(f'{wrong}: "midas" takes no parameter but spare, as in spare=0.07, and needs it')
        written = _core.replay_midas(trace._core, spare=spare, **common)
    else:
        written = _core.replay_log(
            trace._core,
            separation=settings,
            collected_apart=collected_apart,
            garbage_share=garbage_share,
            spare=spare,
            **common,
        )
    return LogReplay(**json.loads(written))


def _settings(separation: object) -> list[tuple[str, str]]:
    given: dict[str, Any] = {}
    if isinstance(separation, Mapping):
        given = dict(separation)
    elif isinstance(separation, str):
        given = {"kind": separation}
    else:
        given = {"function": separation}
    if is_policy(given.get("function")):
        given |= named(given["function"])
    kind = given.pop("kind", None)
    if not isinstance(kind, str):
        raise InputError(
            'separation: name a scheme, as in "sepbit" or {"kind": "dac", "open_blocks": 4}, or give a '
            "separation_policy"
        )
    texts = {key: value if isinstance(value, str) else toml_value(value) for key, value in given.items()}
    return [("ftl.separation", kind), *((f"ftl.separation.{key}", value) for key, value in texts.items())]
