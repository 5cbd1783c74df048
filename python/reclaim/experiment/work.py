"""Which settings are the work that a drive is given, and which are the drive itself.

Another value of a key of work is another load, another start or another thing that is measured: figures
under both are not those of a better and a worse drive. So studies that say which drive is better, or which
drive a sheet is of (tune, ablate, fit), move no such key. It may be moved where the work is what is varied:
by the axes of a sweep, by repeats, and by a study of sensitivity, which moves it for both schemes at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

Class = Literal["work", "drive", "name"]

CLASSES: Mapping[str, Class] = {
    "name": "name",
    "seed": "work",
    "geometry": "drive",
    "flash": "drive",
    "channel": "drive",
    "controller": "drive",
    "interconnect": "drive",
    "ftl": "drive",
    "gc": "drive",
    "redundancy": "drive",
    "scheduler": "drive",
    "trace": "work",
    "host.mode": "work",
    "host.queue_depth": "work",
    "host.time_scale": "work",
    "host.target_utilisation": "work",
    "host.target_total_utilisation": "work",
    "host.target_scheme": "work",
    "host.target_policies": "work",
    "host.link": "drive",
    "warmup": "work",
    "measure": "work",
}
"""Every key of a configuration, or the section that it is in. A test finds a key that is missing."""
WHERE = "vary it in [axes], or per trace in [[traces]]"


def class_of(key: str) -> Class | None:
    """Say what a key is; None for a key that no configuration has.

    >>> class_of("trace.max_requests"), class_of("host.link.lanes"), class_of("gc.victim.d"), class_of("host")
    ('work', 'drive', 'drive', None)
    """
    return next(
        (found for known, found in CLASSES.items() if key == known or key.startswith(f"{known}.")), None
    )


def is_work(key: str) -> bool:
    """Whether a key says what a drive is to do, and not what it is.

    >>> is_work("seed"), is_work("flash.t_read")
    (True, False)
    """
    return class_of(key) == "work"


def not_the_drive(key: str, doing: str) -> str:
    """Say why a key cannot be moved by a study of drives; nothing where it can.

    >>> not_the_drive("gc.victim", "tuned"), not_the_drive("name", "tuned")
    ('', '"name" only names the drive: nothing to be tuned; leave it out')

    Args:
        key: as `--set` takes it.
        doing: what would be done to it, as in "tuned".
    """
    match class_of(key):
        case "work":
            what = "is part of the work (requests, pace, seed, warm-up, what is measured), not of the drive"
            return f'"{key}" {what}: another value is another load, so it cannot be {doing}; {WHERE}'
        case "name":
            return f'"{key}" only names the drive: nothing to be {doing}; leave it out'
    return ""


def of_work(keys: Iterable[str]) -> list[str]:
    """Give those of some keys that are part of the work."""
    return [each for each in keys if is_work(each)]
