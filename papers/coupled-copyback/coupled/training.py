"""Training of CoupledCB's regression beforehand: one model for each tested workload, of all others.

`python -m coupled.training` in papers/coupled-copyback writes its `models.toml`, the same bytes on
every machine. Nothing but stand-ins and recordings that come with the source is used.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reclaim import _core
from reclaim.device import Device
from reclaim.trace.trace import open_trace

FOLDER = Path(__file__).resolve().parents[1]
Sample = tuple[list[float], float]
Model = tuple[float, list[float], list[float], list[float]]
EPOCHS = 5
RATE, ITERATIONS = 0.05, 20
"""The paper's."""
MOST_SAMPLES = 20_000
"""Of a workload: more are thinned out evenly."""
SETTINGS: dict[str, str | int | float] = {
    "flash.program_unit": "word-line",
    "gc.relocation.kind": "coupled",
    "gc.relocation.retrain_below": 0.0,
    "gc.relocation.model": (
        "{ bias = 0, weights = [0, 0, 0, 0, 0, 0, 0, 0], means = [0, 0, 0, 0, 0, 0, 0, 0], "
        "deviations = [1, 1, 1, 1, 1, 1, 1, 1] }"
    ),
    "warmup.kind": "workload",
    "trace.remap": "compact",
    "host.time_scale": 100.0,
    "seed": 7,
    # As they were when the models that are shipped were trained.
    "gc.trigger.start": "5%",
    "flash.flush_clock": "drive",
    "warmup.padding": "none",
}
"""Of the runs that samples are taken from: every candidate is as likely as not to be admitted."""


@dataclass(frozen=True)
class Workload:
    """What samples are taken from."""

    source: str
    blocks: int
    """In a plane of the drive."""
    sample: str = ""
    """Share of the address space."""


TESTED = {
    "stg_0": Workload("msr-like/stg_0-coupled-copyback", 30, "5%"),
    "proj_0": Workload("msr-like/proj_0", 30, "0.6%"),
    "prxy_0": Workload("msr-like/prxy_0-coupled-copyback", 22, "1.5%"),
    "ali2": Workload("alibaba-like/ali2-coupled-copyback", 30, "2.5%"),
    "ali77": Workload("alibaba-like/ali77", 26, "2%"),
    "ali181": Workload("alibaba-like/ali181", 22, "2.5%"),
}
OTHERS = {
    "hm_0": Workload("msr-like/hm_0", 20, "15%"),
    "usr_0": Workload("msr-like/usr_0", 20, "5%"),
    "wdev_0": Workload("msr-like/wdev_0", 20, "8%"),
    "src2_0": Workload("msr-like/src2_0", 20, "15%"),
    "ali0": Workload("alibaba-like/ali0", 20, "1.6%"),
    "varmail": Workload("bundled/varmail", 20),
    "sqlite": Workload("bundled/sqlite", 20),
    "dbench": Workload("bundled/dbench", 34),
    "mysql": Workload("bundled/mysql", 30),
}


def samples_of(workload: Workload) -> list[Sample]:
    """What a run of the workload would teach."""
    settings = {**SETTINGS, "geometry.blocks_per_plane": workload.blocks}
    device = Device.load(FOLDER / "drive.toml").with_settings(settings)
    trace = open_trace(workload.source)
    if workload.sample:
        trace = trace.transformed(sample=workload.sample)
    return thinned(list(_core.run(device._core, trace._core, keep_samples=True).samples))


def thinned(samples: list[Sample]) -> list[Sample]:
    """Evenly, so that not too many are left."""
    step = -(-len(samples) // MOST_SAMPLES)
    return samples[:: max(step, 1)]


def trained(
    samples: Mapping[str, Sequence[Sample]], without: str = "", iterations: int = ITERATIONS
) -> Model:
    """A model of the samples of all workloads but one, with so many steps for each in each epoch.

    The workloads are gone through in another order in each epoch.
    """
    names = [name for name in samples if name != without and samples[name]]
    if without in names:
        raise ValueError(f"{without} is tested and must not be trained on")
    model = _core.scaled_model([sample for name in names for sample in samples[name]])
    order = random.Random(1)  # noqa: S311 - an order, no secret
    for _ in range(EPOCHS):
        order.shuffle(names)
        for name in names:
            model = _core.trained_model(model, samples[name], rate=RATE, iterations=iterations)
    return model


def right(model: Model, samples: Sequence[Sample]) -> float:
    """Share of the samples that the model puts on the right side of a half."""
    scores = _core.scores(model, [inputs for inputs, _ in samples])
    hits = [
        (score >= 0.5) == (invalidated > 0.5) for score, (_, invalidated) in zip(scores, samples, strict=True)
    ]
    return sum(hits) / max(len(hits), 1)


def as_toml(model: Model, key: str) -> str:
    """A model as a setting."""
    bias, *lists = model
    parts = zip(("weights", "means", "deviations"), lists, strict=True)
    written = [f"bias = {bias!r}", *(f"{name} = [{', '.join(map(repr, each))}]" for name, each in parts)]
    return "\n".join(f"{key}.{line}" for line in written)


def main() -> None:
    """Write the models."""
    samples = {name: samples_of(each) for name, each in {**TESTED, **OTHERS}.items()}
    lines = [
        "# Made by python -m coupled.training here: CoupledCB's regression of each workload,",
        "# trained with samples of all others; models.md says of what.",
    ]
    card = []
    for name in TESTED:
        model = trained(samples, without=name)
        lines += ["", f"[{name}]", as_toml(model, "gc.relocation.model")]
        shares = [invalidated for _, invalidated in samples[name]]
        card.append(
            f"{name}: {len(shares)} samples, {sum(shares) / max(len(shares), 1):.3f} invalidated, "
            f"right {right(model, samples[name]):.3f}"
        )
    (FOLDER / "models.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    everything = trained(samples)
    for name in OTHERS:
        shares = [invalidated for _, invalidated in samples[name]]
        card.append(f"{name}: {len(shares)} samples, {sum(shares) / max(len(shares), 1):.3f} invalidated")
    sys.stdout.write("\n".join([as_toml(everything, "model"), *card]) + "\n")


if __name__ == "__main__":
    main()
