"""Logistic regression in double precision, operation by operation (docs/model.md, 13.25 and 13.29)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_model.configuration import Table

INPUTS = 8
PRETRAINED = "crates/sim/src/gc/relocation/coupled/pretrained.rs"


def power_of_e(x: float) -> float:
    """e(x)."""
    x = min(700.0, max(-700.0, x))
    k = math.floor(x * 1.4426950408889634 + 0.5)
    r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    a = 1.0
    for j in range(13, 0, -1):
        a = 1.0 + r / j * a
    return a * 2.0**k


@dataclass
class Sample:
    """What is learned from."""

    inputs: list[float]
    target: float


@dataclass
class Model:
    """Bias, weights, means and deviations."""

    bias: float
    weights: list[float]
    means: list[float]
    deviations: list[float]

    def probability(self, inputs: list[float]) -> float:
        """P."""
        s = self.bias
        for i in range(INPUTS):
            s = s + self.weights[i] * ((inputs[i] - self.means[i]) / self.deviations[i])
        return 1.0 / (1.0 + power_of_e(-s))

    def train(self, samples: list[Sample], rate: float, iterations: int, *, bias: bool) -> None:
        """13.29."""
        for _ in range(iterations):
            errors, sums = 0.0, [0.0] * INPUTS
            for sample in samples:
                error = self.probability(sample.inputs) - sample.target
                errors += error
                for i in range(INPUTS):
                    sums[i] += error * ((sample.inputs[i] - self.means[i]) / self.deviations[i])
            if bias:
                self.bias -= rate * (errors / len(samples))
            for i in range(INPUTS):
                self.weights[i] -= rate * (sums[i] / len(samples))


def given(policy: Table) -> Model:
    """Return the model that a configuration gives, or the one that comes with the simulator."""
    table = policy.take("model", None) or _pretrained()
    weights, means, deviations = (
        [float(each) for each in table[key]] for key in ("weights", "means", "deviations")
    )
    return Model(float(table["bias"]), weights, means, deviations)


def _pretrained() -> dict[str, Any]:
    """Read the numbers, in the order in which they stand there."""
    root = Path(__file__).parents[3]
    text = (root / PRETRAINED).read_text(encoding="utf-8").partition("pub(super) const MODEL")[2]
    numbers = [float(each) for each in re.findall(r"-?\d[\d_]*\.\d[\d_]*(?:e-?\d+)?", text)]
    if not numbers:  # the empty one
        return {
            "bias": 0.0,
            "weights": [0.0] * INPUTS,
            "means": [0.0] * INPUTS,
            "deviations": [1.0] * INPUTS,
        }
    return {
        "bias": numbers[0],
        "weights": numbers[1:9],
        "means": numbers[9:17],
        "deviations": numbers[17:25],
    }
