"""Schemes written in one line: names and settings joined by `+`."""

from __future__ import annotations

from reclaim.errors import InputError


def parse_scheme(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take `NAME+NAME+KEY=VALUE` apart; a later scheme overrides an earlier one, a setting all of them.

    >>> parse_scheme("fifo+host.queue_depth=8")
    (('fifo',), {'host.queue_depth': '8'})

    Raises:
        InputError: for nothing beside a +, a setting without key or value, and one that is given twice.
    """
    parts = [part.strip() for part in text.split("+")]
    if "" in parts:
        raise InputError(f'"{text}": there is nothing on one side of a +; write as in greedy+copyback')
    names = tuple(part for part in parts if "=" not in part)
    settings: dict[str, str] = {}
    for part in parts:
        if "=" not in part:
            continue
        key, _, value = (word.strip() for word in part.partition("="))
        if not (key and value):
            raise InputError(f'"{part}": expected KEY=VALUE, as in greedy+gc.pages_in_flight=4')
        if key in settings:
            raise InputError(f"{key} is given twice, as {settings[key]} and as {value}; give it once")
        settings[key] = value
    return names, settings
