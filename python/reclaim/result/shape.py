"""What kinds of values a results file must have, so that what was changed by hand is one message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.errors import InputError
from reclaim.parsing import UnreadableError, json_value

KEYS_OF_ANY_FORMAT = {"device", "gc", "requests", "scheme", "verdict"}
"""What every results file has had from the first on."""
TEXTS = ("device", "scheme", "remap", "reclaim_version", "trace.name", "trace.format", "trace.content_hash")
NUMBERS = ("seed", "simulated_ns", "events", "max_outstanding_requests")
TABLES = ("policies", "trace", "verdict", "requests", "config", "facts", "windows", "latency_cdf")
SECTIONS = ("flash", "gc", "buffer", "drift", "wear", "utilisation", "warmup", "measure")
"""Numbers, in nested tables, but for these."""
NEWER = ("written", "fdp", "health", "lifetime")
"""The same, but results of an earlier day have them not."""
TEXTS_IN_SECTIONS = ("warmup.kind", "measure.after")
OPTIONAL_TEXTS = ("warmup.prepared_by",)
PERHAPS = ("mean_latency_ns",)
"""Numbers that may be missing."""
REQUESTS = ("read", "write", "trim", "flush")
REMARKS = ("warnings", "doubts", "notes")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _at(data: Mapping[str, Any], path: str) -> Any:
    found: Any = data
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, Mapping) else {}


def _is_text_at(where: str, value: Any) -> bool:
    return where in TEXTS_IN_SECTIONS or (where in OPTIONAL_TEXTS and value is not None)


def _numbers_in(path: str, value: Any) -> Iterator[tuple[str, Any, str]]:
    """What of a section is no number, where numbers are."""
    if not _is_table(value):
        yield path, value, "a table"
        return
    for key, inner in value.items():
        where = f"{path}.{key}"
        if isinstance(inner, Mapping):
            yield from _numbers_in(where, inner)
        elif _is_text_at(where, inner):
            if not _is_text(inner):
                yield where, inner, "text"
        elif isinstance(inner, list):
            # Figures of dies, or the names of figures.
            if not all(_is_number(each) or each is None or _is_text(each) for each in inner):
                yield where, inner, "a list of numbers or names"
        elif inner is not None and not _is_number(inner):
            yield where, inner, "a number"


def _remarks_in(verdict: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for name in REMARKS:
        listed = verdict.get(name)
        if not isinstance(listed, list):
            yield f"verdict.{name}", listed, "a list"
            continue
        for number, each in enumerate(listed):
            fits = (
                isinstance(each, Mapping)
                and _is_text(each.get("code"))
                and _is_text(each.get("message"))
                and _is_list(each.get("figures"))
                and all(map(_is_text, each["figures"]))
                and (each.get("remedy") is None or _is_text(each["remedy"]))
            )
            if not fits:
                yield f"verdict.{name}[{number + 1}]", each, "a remark with code, message, figures and remedy"


def _sections_in(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for name in (*SECTIONS, *(each for each in NEWER if each in data)):
        yield from _numbers_in(name, data.get(name))
    for name in REQUESTS:
        stats = _at(data, f"requests.{name}")
        yield from _numbers_in(f"requests.{name}", stats)
        if not _is_number(_at(data, f"requests.{name}.count")):
            yield f"requests.{name}.count", _at(data, f"requests.{name}.count"), "a number"


def _further_in(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    streams = data.get("streams", [])
    for number, each in enumerate(streams if _is_list(streams) else [None]):
        yield from _numbers_in(f"streams[{number + 1}]", each)
    for name, curve in _table(data, "latency_cdf").items():
        if not _is_list(curve) or not all(_is_list(each) and all(map(_is_number, each)) for each in curve):
            yield f"latency_cdf.{name}", curve, "a list of pairs of numbers"
    for kind, metrics in _table(data, "policies").items():
        for name, metric in metrics.items() if _is_table(metrics) else [("", None)]:
            value = metric.get("value") if isinstance(metric, Mapping) else ""
            if value is not None and not _is_number(value):
                yield f"policies.{kind}.{name}".rstrip("."), metric, "a metric with its value"


def _faults(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for paths, what, fits in (
        (TEXTS, "text", _is_text),
        (NUMBERS, "a number", _is_number),
        (TABLES, "a table", _is_table),
        (PERHAPS, "a number", lambda value: value is None or _is_number(value)),
    ):
        yield from ((path, _at(data, path), what) for path in paths if not fits(_at(data, path)))
    yield from _sections_in(data)
    yield from _further_in(data)
    yield from _remarks_in(_table(data, "verdict"))


def _kind(value: Any) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value[:40]}"'
        case Mapping():
            return "a table"
        case list():
            return "a list"
    return str(value)


def fault(data: Mapping[str, Any]) -> str | None:
    """Say what in a results file of this format is not what it must be; None if all is.

    >>> fault({"device": 5})
    'device is 5, and should be text'
    """
    first = next(_faults(data), None)
    return None if first is None else f"{first[0]} is {_kind(first[1])}, and should be {first[2]}"


def check_format(file: Path, data: Mapping[str, Any]) -> None:
    """Refuse a results file of another format than the one that this version writes, by name.

    Raises:
        InputError: if it is one.
    """
    found = data.get("format")
    if found == _core.RESULTS_FORMAT:
        return
    what = "without a format number" if found is None else f"of format {found}"
    raise InputError(
        f"{file}: a results file {what}, written by Reclaim {data.get('reclaim_version', '(unknown)')}; "
        f"Reclaim {_core.__version__} reads format {_core.RESULTS_FORMAT}: run the simulation again"
    )


def read(text: str) -> dict[str, Any]:
    """Read the text of a results file.

    Raises:
        InputError: if it is none.
    """
    try:
        data = json_value(text)
    except (TypeError, UnreadableError):
        data = None
    missing = KEYS_OF_ANY_FORMAT - (data.keys() if isinstance(data, dict) else set())
    if missing or not isinstance(data, dict):
        raise InputError(
            f"this is not the text of results: no {', '.join(sorted(missing))} in it; Result.load reads files"
        )
    return data
