"""How a trace is opened and changed on its way, written as a configuration takes it.

The same rules hold for the command line and for `Trace.transformed`: a bare number counts bytes where a size
is wanted, 0.1 and 10% are the same share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal, get_args

from reclaim.arguments import shown
from reclaim.errors import InputError
from reclaim.parsing import toml_value
from reclaim.suggestions import near
from reclaim.trace.catalogue import locate

Entry = str | Path | Mapping[str, str | int | bool | Path | None]
"""A trace to merge in: FILE[@SHIFT][,KEY=VALUE…], a path, or the keys of an entry of `trace.merge`."""
Step = str | int | float | bool | Path | Mapping[str, str | int | bool | Path | None] | Sequence[Entry] | None

OPENING = ("format", "device", "sort", "event", "time_unit", "columns", "separator", "on_error")
"""How a trace is opened; keys of `[trace]`, and of an entry of `trace.merge`."""
MERGING = (*OPENING, "shift", "stream")
"""Keys of an entry of `trace.merge`."""
SIZES = frozenset({"shift", "align", "sample_unit"})
SIZE = re.compile(r"\d[\d_.]*\s*([KMGT]i?|k)?B")
SECTOR_BYTES = 512
LOOKS_LIKE_A_SHIFT = re.compile(r"[-+]?\.?\d[\w.+-]*")
KEY = re.compile(rf",({'|'.join(MERGING)})=")
ANY_KEY = re.compile(r",(\w+)=")
MOST_STREAM = 255
LEAST_SHARE = Decimal("0.0001")
"""Percent; shares are kept in parts per million."""


def size_text(what: str, value: str | float) -> str:
    """Write a size as a configuration does; a bare number counts bytes.

    >>> size_text("shift", "512"), size_text("shift", 512), size_text("align", "4KiB")
    ('512B', '512B', '4KiB')
    """
    text = str(value).strip()
    if text.startswith("-"):
        raise InputError(f"{what} {text}: must not be negative; expected a size such as 4KiB or 512")
    return f"{text}B" if text.isascii() and text.isdigit() else text


def _check_alignment(what: str, text: str) -> None:
    """Refuse to align to what is no sector: every request would end where no drive can address."""
    plain = re.fullmatch(r"(\d[\d_]*)\s*B", text)
    if plain and (int(plain[1]) == 0 or int(plain[1]) % SECTOR_BYTES):
        raise InputError(f"{what} {text}: expected whole sectors of {SECTOR_BYTES} B, such as 512 or 4KiB")


def share_text(what: str, value: str | float) -> str:
    """Write a share as a configuration does: 0.1 is 10%.

    >>> share_text("sample", 0.1), share_text("sample", "12.5%")
    ('10%', '12.5%')
    """
    text = str(value).strip()
    number, scale = (text[:-1], 1) if text.endswith("%") else (text, 100)
    try:
        percent = Decimal(number.strip()) * scale
    except InvalidOperation:
        percent = Decimal(-1)
    if not percent.is_finite() or not 0 < percent <= 100:
        raise InputError(f"{what} {text}: expected a share such as 10% or 0.1, above 0 and up to 100% or 1")
    if percent % LEAST_SHARE:
        raise InputError(
            f"{what} {text}: shares are counted in whole millionths (0.0001%), the least is 0.000001"
        )
    return f"{percent.normalize():f}%"


def rotation_text(what: str, value: str | float) -> str:
    """Write how far a trace is rotated as a configuration does: a whole number counts requests.

    >>> rotation_text("rotate", 0.25), rotation_text("rotate", "25%"), rotation_text("rotate", 1000)
    ('25%', '25%', '1000 requests')
    """
    text = str(value).strip()
    if text.isdigit():
        return f"{text} requests"
    return text if text.endswith(("request", "requests")) else share_text(what, value)


def _here(file: str) -> bool:
    return bool(file) and (Path(file).exists() or locate(file) is not None)


def _file_and_shift(what: str, text: str) -> dict[str, Any]:
    """Split FILE[@SHIFT]; what cannot be a shift belongs to the name."""
    file, at, shift = text.rpartition("@")
    if not at or Path(text).exists():
        return {"file": text}
    if SIZE.fullmatch(shift) or shift.isdigit():
        return {"file": file, "shift": shift}
    if _here(file) or LOOKS_LIKE_A_SHIFT.fullmatch(shift):
        raise InputError(
            f'{what} {text}: "{shift}" is no size to shift addresses by, such as 8GiB or 512 '
            f"(and there is no file {text})"
        )
    return {"file": text}


def merge_entry(text: str, what: str = "--merge") -> dict[str, Any]:
    """Take FILE[@SHIFT][,KEY=VALUE…] apart. A file that is called all of it is that file.

    >>> merge_entry("b.csv@8GiB,device=8,16,sort=true")
    {'file': 'b.csv', 'shift': '8GiB', 'device': '8,16', 'sort': True}
    >>> merge_entry("c@home.csv")
    {'file': 'c@home.csv'}
    """
    if Path(text).exists():
        return {"file": text}
    file, *said = KEY.split(text)
    entry = _file_and_shift(what, file)
    unknown = ANY_KEY.search(file)
    if unknown and not _here(entry["file"]):
        hint = near(unknown[1], MERGING, quote="")
        raise InputError(
            f"{what} {text}: no such file, and {unknown[1]} is no option of a merged trace{hint} "
            f"(valid: {', '.join(MERGING)})"
        )
    for key, value in zip(said[::2], said[1::2], strict=True):
        if key in entry:
            raise InputError(f"{what} {text}: {key} is given twice; give it once")
        if key == "sort":
            if value not in ("true", "false"):
                raise InputError(f"{what} {text}: sort is true or false, not {value}")
            entry[key] = value == "true"
        else:
            entry[key] = value
    return entry


def _table(what: str, entry: Entry) -> str:
    if isinstance(entry, str):
        entry = merge_entry(entry, what)
    elif isinstance(entry, Path):
        entry = {"file": entry}
    if not isinstance(entry, Mapping):
        raise InputError(f"{what}: {entry!r} is no trace to merge; expected a file or a table with file")
    given: dict[str, bool | int | str] = {}
    for key, value in entry.items():
        if isinstance(value, bool):
            given[key] = value
        elif key == "stream" and value is not None:
            if not re.fullmatch(r"\d{1,3}", str(value), re.ASCII) or int(str(value)) > MOST_STREAM:
                raise InputError(f"{what} … stream={value}: expected a number from 0 to {MOST_STREAM}")
            given[key] = int(str(value))
        elif value is not None:
            given[key] = size_text(f"{what} … {key}", str(value)) if key == "shift" else str(value)
    return toml_value(given)


def merge_text(value: Step, what: str = "--merge") -> str:
    """Write traces to merge in as the list of tables that a configuration takes.

    Text that begins with a bracket is such a list already.

    >>> merge_text(["b.csv@8GiB", {"file": "c.csv", "shift": 512}])
    '[{ file = "b.csv", shift = "8GiB" }, { file = "c.csv", shift = "512B" }]'
    >>> merge_text("b.csv,stream=2")
    '[{ file = "b.csv", stream = 2 }]'
    """
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            return value
        value = [value]
    elif isinstance(value, Path | Mapping):
        value = [value]
    if not isinstance(value, Sequence):
        raise InputError(f"{what}: {value!r} is no list of traces; expected files, or tables with file")
    return f"[{', '.join(_table(what, each) for each in value)}]"


def check_in_vain(said: Mapping[str, Any], prefix: str = "") -> None:
    """Refuse what would change nothing because something else is not given.

    Raises:
        InputError: with what is needed.
    """
    for names, wanted, reason in (
        (("separate",), "merge", "there is nothing to separate; name traces with"),
        (("common_clock",), "merge", "there is nothing to merge; name traces with"),
        (("sample_unit", "sample_seed"), "sample", "nothing is sampled; say how much with"),
        (("repeat_gap",), "repeat", "nothing is repeated; say how often with"),
    ):
        for name in names:
            given = said.get(name)
            if given is not None and given is not False and not said.get(wanted):
                shown_name = prefix + (name.replace("_", "-") if prefix else name)
                option = "plays" if prefix and wanted == "repeat" else wanted
                raise InputError(f"{shown_name}: {reason} {prefix}{option}")


def settings(said: Mapping[str, Step], prefix: str = "") -> dict[str, str]:
    """Write options of opening and changing a trace as settings; None is not given.

    `prefix` stands before names in messages.

    >>> settings({"sample": 0.5, "shift": 512, "from_": None, "sort": True, "device": 4})
    {'trace.sample': '50%', 'trace.shift': '512B', 'trace.sort': 'true', 'trace.device': '4'}
    """
    written: dict[str, str] = {}
    for name, value in said.items():
        if value is None:
            continue
        key = name.removesuffix("_")
        what = prefix + (key.replace("_", "-") if prefix else key)
        if key == "merge":
            text = merge_text(value, what)
        elif isinstance(value, bool):
            text = "true" if value else "false"
        elif not isinstance(value, str | int | float):
            raise InputError(f"{what}: {shown(value)} is neither text nor a number")
        elif key in SIZES:
            text = size_text(what, value)
            if key == "align":
                _check_alignment(what, text)
        elif key == "sample":
            text = share_text(what, value)
        elif key == "rotate":
            text = rotation_text(what, value)
        else:
            text = str(value)
        written[f"trace.{key}"] = text
    return written


Remap = Literal["none", "wrap", "compact", "scale"]
REMAPS: tuple[Remap, ...] = get_args(Remap)


def remap_checked(remap: str, valid: tuple[str, ...] = REMAPS) -> str:
    """Give `remap` if it is a way to bring addresses inside a drive.

    Raises:
        InputError: if it is none, with those that are.
    """
    if remap not in valid:
        raise InputError(f'unknown remap "{remap}"; valid: {", ".join(valid)}{near(str(remap), valid)}')
    return remap


def remap_setting(remap: str) -> dict[str, str]:
    """The setting that a configuration takes.

    >>> remap_setting("wrap")
    {'trace.remap': 'wrap'}
    """
    return {"trace.remap": remap_checked(remap)}


def is_compact(remap: str | None) -> bool:
    """Whether units are numbered as they are first touched: the one remap that needs no drive.

    Raises:
        InputError: for a remap that needs a drive, or that is none.
    """
    if remap is None or remap_checked(remap) == "none":
        return False
    if remap != "compact":
        raise InputError(
            "remap wrap and remap scale bring a trace inside a drive, so they need one: they are for run, "
            "compare and simulate(remap=…), and keys of a device file; compact needs none"
        )
    return True
