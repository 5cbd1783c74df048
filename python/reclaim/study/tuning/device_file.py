"""What was found as a device file that `reclaim run` takes."""

from __future__ import annotations

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.study.tuning.study import Tuned
from reclaim.study.tuning.trials import Trial
from reclaim.study.tuning.words import trial_text

NAME = "found.toml"


def device_of(found: Tuned, trial: Trial) -> Device:
    """Make the drive of a trial: the device, the scheme and the experiment's settings, of no trace.

    What the experiment sets for single traces is not in it.

    Raises:
        InputError: where it is refused without the settings of a trace.
    """
    prepared = found.prepared
    parts, scheme = prepared.experiment.parts, prepared.scheme
    moved = {} if trial.at is None else prepared.space.settings(trial.at)
    layers = (scheme.settings, parts.settings, moved)
    settings = {key: each.text for layer in layers for key, each in layer.items()}
    own = [key for key in settings if key in scheme.settings or key in moved]
    return Device.made(parts.devices[0].source, scheme.schemes, settings, own)


def text_of(found: Tuned, trial: Trial) -> str:
    """Write it, with what was tuned on top.

    Raises:
        InputError: as `device_of`.
    """
    prepared = found.prepared
    name, entry = prepared.scheme.name, prepared.entry
    lines = [
        f"{name}, tuned by `reclaim tune` ({prepared.experiment.name}), trial {trial.number}:",
        *(
            f"  {each.key}: {each.present or 'left out'} -> {trial.values[each.key]}"
            for each in prepared.space.parameters
            if each.key in trial.values
        ),
        f"To {name} as it is, where it was tuned: {trial_text(trial, entry.objective)}.",
    ]
    head = "".join(f"# {' '.join(line.split()) if not line.startswith('  ') else line}\n" for line in lines)
    return f"{head}\n{device_of(found, trial).to_toml()}"


def files_of(found: Tuned) -> dict[str, str]:
    """Give the device files by name: what was found, and of several objectives every trial that was judged.

    A drive that only the settings of a trace make possible has no file.
    """
    wanted = {} if found.found is None else {NAME: found.found}
    if len(found.prepared.entry.objective) > 1:
        wanted |= {f"trial-{each.trial.number}.toml": each.trial for each in found.judged}
    made = {}
    for name, trial in wanted.items():
        try:
            made[name] = text_of(found, trial)
        except InputError:
            continue
    return made
