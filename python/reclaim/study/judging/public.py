"""Public volumes: taken from a user's own copy, known by their checksums, and kept in the form of a suite."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reclaim import input_file, output_file, text_cache
from reclaim.encoding import json_text
from reclaim.errors import InputError
from reclaim.parsing import json_value, toml_file
from reclaim.study.judging.suite import Suite
from reclaim.trace.catalogue import locate_in, where_to_get
from reclaim.trace.trace import open_trace

VOLUMES = Path("public") / "volumes.toml"
"""In the folder of a suite, below what its digest is of: what rivals have reached does not follow from it."""
PINS = "pins.json"
"""In the folder of what was fetched: the checksum of each volume when it was fetched first."""
Known = Literal["as stated", "as before", "first copy"]


@dataclass(frozen=True)
class Fetched:
    """A volume that was taken."""

    name: str
    source: Path
    requests: int
    sha256: str
    """Of its requests as unpacked CSV."""
    known: Known
    """By what it was known: the suite's file, an earlier copy, or nothing."""


def volumes_of(suite: Suite) -> Mapping[str, Any]:
    """Give the public volumes of a suite, with what is known of each."""
    return dict(toml_file(suite.folder / VOLUMES)["volumes"])


def kept_in(suite: Suite) -> Path:
    """Give the folder where fetched volumes are kept.

    Raises:
        InputError: without a home.
    """
    above = text_cache.folder()
    if above is None:
        raise InputError("there is no home folder to keep volumes in; set XDG_CACHE_HOME to a folder")
    return above / "suites" / suite.name / "public"


def fetch(suite: Suite, folder: Path) -> Iterator[Fetched]:
    """Take the volumes that are there: convert each, check what it is, and keep it.

    Args:
        suite: says which.
        folder: has a folder of each public set, as `reclaim trace list` tells, or is one.

    Raises:
        InputError: for a folder without any of them, a file that cannot be read, and a volume that is another
            one than the suite's file says, or than the first that was fetched.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: is no folder; name the one that has msr/, alibaba/ or tencent/")
    volumes, most = volumes_of(suite), int(toml_file(suite.folder / VOLUMES)["requests"])
    found = {
        name: place
        for name, each in volumes.items()
        if (place := locate_in(folder, each.get("file", name))) is not None
    }
    if not found:
        where = "; ".join(
            where_to_get(each) for each in dict.fromkeys(name.split("/")[0] for name in volumes)
        )
        raise InputError(
            f"{folder}: has none of {', '.join(volumes)}, as in {folder / 'msr/hm_0.csv.gz'}. {where}"
        )
    kept = kept_in(suite)
    for name, file in found.items():
        pins = _pins(kept)
        target, new = kept / file_of(name), kept / f"new.{file_of(name)}"
        of = volumes[name]
        how: dict[str, Any] = {key: of[key] for key in ("columns", "separator") if key in of}
        opened = open_trace(file.path, device=file.device, sort=True, **how)
        try:
            done = opened.transformed(max_requests=most).convert(new, force=True)
            sha256 = _sha256(new)
            stated = of.get("sha256")
            wanted, said = (stated, VOLUMES.name) if stated else (pins.get(name), "the first copy")
            if wanted not in (None, sha256):
                hint = "" if stated else f"; to take it all the same, remove {name} from {kept / PINS}"
                raise InputError(
                    f"{file.path}: is another {name}: SHA-256 {sha256}, of {said} {wanted}{hint}"
                )
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)
        output_file.write_text(kept / PINS, json_text({**pins, name: sha256}) + "\n")
        known: Known = "as stated" if stated else "as before" if wanted else "first copy"
        yield Fetched(name, file.path, done.requests, sha256, known)


def fetched(suite: Suite) -> list[str]:
    """Give the files of all volumes that were fetched, in the order of the suite.

    Raises:
        InputError: if none was, and if one is not what it was then.
    """
    place = kept_in(suite)
    pins, found = _pins(place), []
    for name in volumes_of(suite):
        file = place / file_of(name)
        if name not in pins or not input_file.is_there(file):
            continue
        if _sha256(file) != pins[name]:
            raise InputError(
                f"{file}: was changed since it was fetched; fetch it again: reclaim suite fetch DIR"
            )
        found.append(str(file))
    if not found:
        raise InputError(
            "--family public: no volume was fetched; take them from your copy: reclaim suite fetch DIR"
        )
    return found


def file_of(name: str) -> str:
    """Name the file that a volume is kept in: it says what tables call it."""
    return f"{name.replace('/', '-')}.csv.gz"


def _pins(place: Path) -> dict[str, str]:
    file = place / PINS
    return dict(json_value(input_file.text(file))) if input_file.is_there(file) else {}


def _sha256(file: Path) -> str:
    with input_file.opened(file) as packed, gzip.GzipFile(fileobj=packed) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
