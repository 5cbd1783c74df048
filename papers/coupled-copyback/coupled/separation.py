"""How well what the regression sees tells blocks apart, by workload, fullness and label.

`python -m coupled.separation` in papers/coupled-copyback writes `separation.json`: for every setting, samples
of one run and how they are told apart by the model that is shipped for the workload (trained without it), by
a regression fitted to these samples (each fifth by the other four), by one on the two inputs that differ
between candidates of a job, by each of the two alone, and by one fitted to the other workloads on drives that
are as full, with the same label. It writes `models-collected.toml`, too: models as `coupled.training` makes
them, but of drives half full, with what became of blocks until they were collected, and trained for longer.
"""

from __future__ import annotations

import json
import sys
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from reclaim import _core
from reclaim.device import Device
from reclaim.paper.toolkit import MISSING, PageTable
from reclaim.trace.trace import open_trace

from .training import FOLDER, SETTINGS, TESTED, Model, Sample, Workload, as_toml, thinned, trained

FILE = FOLDER / "separation.json"
SHARES = ("36%", "50%", "70%")
LABELS = {"half": "within windows", "collected": "until collected"}
"""Of a block that lost more than half of its valid pages, and by when."""
OF_BLOCK = {"invalid ratio": 0, "invalid ratio a window ago": 1}
"""Inputs that differ between candidates of a job."""
LONGER = 400
"""Steps for each workload in each epoch: twenty, the paper's, leave the weights near nothing."""
FEWEST = 20
"""Samples of either kind: with fewer an area under the curve is noise."""


def samples_of(name: str, workload: Workload, share: str, label: str) -> list[Sample]:
    """What a run with the shipped model shows of blocks that were asked about; nothing is padded."""
    settings = {
        **SETTINGS,
        "geometry.blocks_per_plane": 2 * workload.blocks,
        "warmup.valid_share": share,
        "flash.flush_after": "1000s",
        "gc.relocation.label": label,
        "gc.relocation.model": model_text(shipped(name)),
    }
    device = Device.load(FOLDER / "drive.toml").with_settings(settings)
    trace = open_trace(workload.source).transformed(sample=workload.sample)
    return thinned(list(_core.run(device._core, trace._core, keep_samples=True).samples))


def shipped(name: str) -> Model:
    """The model of `models.toml` that was trained without this workload."""
    models = tomllib.loads((FOLDER / "models.toml").read_text(encoding="utf-8"))
    model = models[name]["gc"]["relocation"]["model"]
    return (model["bias"], model["weights"], model["means"], model["deviations"])


def model_text(model: Model) -> str:
    """A model as the value of a setting."""
    bias, weights, means, deviations = model
    return f"{{ bias = {bias!r}, weights = {weights!r}, means = {means!r}, deviations = {deviations!r} }}"


def judged(samples: Sequence[Sample], model: Model, others: Sequence[Sample] = ()) -> dict[str, float | int]:
    """Areas under the curve and calibration; only counts where too few are invalidated, or too few are not.

    An area of 0.5 is a coin's. `brier_gain` is how much less the squared error of the shipped model's
    probability is than that of always saying the share that is invalidated: below 0, it is worse than that.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from sklearn.metrics import brier_score_loss, roc_auc_score  # type: ignore[import-untyped]
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

    (inputs, came), (theirs, came_there) = parted(samples), parted(others)
    share = sum(came) / max(len(came), 1)
    found: dict[str, float | int] = {"samples": len(came), "invalidated": share}
    if min(sum(came), len(came) - sum(came)) < FEWEST:
        return found
    said = list(_core.scores(model, inputs))
    constant = brier_score_loss(came, [share] * len(came))

    regression = make_pipeline(StandardScaler(), LogisticRegression())

    def fitted(seen: Sequence[Sequence[float]]) -> float:
        fifths = StratifiedKFold(5, shuffle=True, random_state=1)
        chances = cross_val_predict(regression, seen, came, cv=fifths, method="predict_proba")
        return float(roc_auc_score(came, chances[:, 1]))

    if min(sum(came_there), len(came_there) - sum(came_there)) >= FEWEST:
        chances = regression.fit(theirs, came_there).predict_proba(inputs)
        found["fitted to others"] = float(roc_auc_score(came, chances[:, 1]))
    return found | {
        "said": sum(said) / len(said),
        "brier_gain": 1 - brier_score_loss(came, said) / constant,
        "shipped": roc_auc_score(came, said),
        "fitted": fitted(inputs),
        "fitted to its own": fitted([[each[at] for at in OF_BLOCK.values()] for each in inputs]),
        **{words: roc_auc_score(came, [each[at] for each in inputs]) for words, at in OF_BLOCK.items()},
    }


def parted(samples: Sequence[Sample]) -> tuple[list[list[float]], list[int]]:
    """Inputs, and whether each block was invalidated."""
    return [inputs for inputs, _ in samples], [int(target > 0.5) for _, target in samples]


def stored() -> list[dict[str, Any]]:
    """What was written of every setting."""
    return list(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.is_file() else []


def tables() -> list[PageTable]:
    """One row for each workload and share of valid data, both labels beside each other."""
    settings = stored()
    if not settings:
        return []
    head = ["workload", "valid data"]
    head += [f"{what}, {label}" for label in LABELS.values() for what in ("invalidated", *COLUMNS)]
    found: dict[tuple[str, str], list[str]] = {}
    for each in sorted(settings, key=lambda each: list(TESTED).index(each["workload"])):
        found.setdefault((each["workload"], each["share"]), []).extend(_told(each))
    return [PageTable("separation", tuple(head), tuple((*where, *row) for where, row in found.items()))]


COLUMNS = {
    "said by the model": "said",
    "squared error below a constant's": "brier_gain",
    "AUC of the model": "shipped",
    "AUC of a fit to these blocks": "fitted",
    "AUC of a fit to what differs within a job": "fitted to its own",
    "AUC of a fit to the other workloads": "fitted to others",
    "AUC of the invalid ratio": "invalid ratio",
}


def _told(each: dict[str, Any]) -> Iterator[str]:
    yield f"{100 * each['invalidated']:.1f} %"
    for name in COLUMNS.values():
        percent = name in {"said", "brier_gain"}
        value = each.get(name)
        yield MISSING if value is None else f"{100 * value:.1f} %" if percent else f"{value:.2f}"


def write_models(samples: Mapping[str, Sequence[Sample]]) -> None:
    """A model for each workload, of the samples of all others."""
    lines = [
        "# Made by python -m coupled.separation here: CoupledCB's regression of each workload, of drives",
        "# half full, trained with what became of blocks of all others until they were collected.",
    ]
    for name in TESTED:
        model = trained(samples, without=name, iterations=LONGER)
        lines += ["", f"[{name}]", as_toml(model, "gc.relocation.model")]
    (FOLDER / "models-collected.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write the settings' figures."""
    warnings.simplefilter("error")
    found = []
    for share, label in product(SHARES, LABELS):
        samples = {name: samples_of(name, workload, share, label) for name, workload in TESTED.items()}
        for name, its in samples.items():
            others = [each for other, theirs in samples.items() if other != name for each in theirs]
            result = judged(its, shipped(name), others)
            rounded = {key: round(value, 4) for key, value in result.items()}
            found.append({"workload": name, "share": share, "label": label, **rounded})
            sys.stdout.write(f"{found[-1]}\n")
        if (share, label) == ("50%", "collected"):
            write_models(samples)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
