"""What a run was of: enough to know it again, and to run it once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reclaim.report.document import Text
from reclaim.result.changes import settings_of
from reclaim.result.reported import Reported

NOTHING = "none"


def identity(results: Sequence[Reported]) -> list[tuple[str, str]]:
    """Label and text of everything that tells these runs of one trace from others; one line for each.

    Settings are those given on top of device and schemes; what only some of the runs have stands behind their
    labels.
    """
    data = [result.to_dict() for result in results]
    first, labels = data[0], [result.label for result in results]
    settings = [settings_of(result.config_toml or "") for result in results]
    common = [each for each in settings[0] if all(each in other for other in settings)]
    # One that has only settings of its own is told with them, below.
    schemes = dict.fromkeys(each["scheme"] for each in data if each["scheme"]) or {NOTHING: None}
    lines = [
        ("trace", f"{first['trace']['name']} ({first['trace']['format']})"),
        ("done to the trace", ", ".join(first.get("transforms", [])) or NOTHING),
        ("trace content hash", first["trace"]["content_hash"]),
        ("device", ", ".join(dict.fromkeys(each["device"] for each in data))),
        ("scheme" if len(schemes) == 1 else "schemes", ", ".join(schemes)),
        ("settings changed", ", ".join(common) or NOTHING),
    ]
    for label, own in zip(labels, settings, strict=True):
        further = [each for each in own if each not in common]
        if further:
            lines.append((f"settings changed, {label}", ", ".join(further)))
    lines += [
        ("load", ", ".join(dict.fromkeys(_closed_loop(each["config"]["host"]) for each in data))),
        ("remap", ", ".join(dict.fromkeys(each["remap"] for each in data))),
        ("seed", ", ".join(dict.fromkeys(str(each["seed"]) for each in data))),
        ("made by", f"Reclaim {first['reclaim_version']}"),
    ]
    commands = dict.fromkeys(result.command for result in results if result.command is not None)
    return lines + [("command", each) for each in commands]


def _closed_loop(host: Mapping[str, Any]) -> str:
    """What a closed loop does to the trace; nothing where requests arrive at their own times."""
    if host.get("mode") != "closed-loop":
        return NOTHING
    depth = host.get("queue_depth")
    return (
        f"closed loop of {depth} requests: the times of the trace are not used (--mode open-loop uses them)"
    )


def identity_lines(results: Sequence[Reported]) -> list[Text]:
    """The same for the terminal, each as it can be copied, without what nobody reads there."""
    shown = [
        (label, text)
        for label, text in identity(results)
        if text != NOTHING and label != "trace content hash"
    ]
    width = max(len(label) for label, _ in shown)
    return [Text(f"{label:<{width}}  {text}") for label, text in shown]
