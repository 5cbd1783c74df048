"""The regression of coupled blocks beside NumPy and scikit-learn: scores, steps, where training ends."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from reclaim import _core

INPUTS = 8
EXACT = 1e-12
"""Most relative difference to the same formula in NumPy."""
Array = npt.NDArray[np.float64]
Model = tuple[float, list[float], list[float], list[float]]


def drawn(seed: int, count: int = 600) -> tuple[Array, Array]:
    """Inputs of different spread, and outcomes that depend on some of them without being decided by them."""
    stream = np.random.default_rng(seed)
    inputs = stream.random((count, INPUTS)) * stream.uniform(0.05, 1.0, INPUTS)
    slope = stream.normal(0, 2, INPUTS)
    chance = 1 / (1 + np.exp(-((inputs - inputs.mean(axis=0)) / inputs.std(axis=0)) @ slope / 2))
    return inputs, (stream.random(count) < chance).astype(np.float64)


def samples(inputs: Array, outcomes: Array) -> list[tuple[list[float], bool]]:
    return [(row, outcome > 0) for row, outcome in zip(inputs.tolist(), outcomes.tolist(), strict=True)]


def trained(inputs: Array, outcomes: Array, rate: float, iterations: int, *, bias: bool = True) -> Model:
    seen = samples(inputs, outcomes)
    return _core.trained_model(_core.scaled_model(seen), seen, rate=rate, iterations=iterations, bias=bias)


def scaled(inputs: Array) -> Array:
    found: Array = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    return found


def by_numpy(
    inputs: Array, outcomes: Array, rate: float, iterations: int, *, bias: bool = True
) -> tuple[float, Array]:
    """Gradient descent on the mean logarithmic loss over all samples at once, from zero."""
    features = scaled(inputs)
    weights, intercept = np.zeros(INPUTS), 0.0
    for _ in range(iterations):
        errors = 1 / (1 + np.exp(-(intercept + features @ weights))) - outcomes
        weights = weights - rate * features.T @ errors / len(outcomes)
        intercept -= rate * float(errors.mean()) if bias else 0.0
    return intercept, weights


def test_inputs_are_scaled_by_mean_and_deviation() -> None:
    inputs, outcomes = drawn(1)
    inputs[:, 3] = 0.25
    bias, weights, means, deviations = _core.scaled_model(samples(inputs, outcomes))
    assert (bias, weights) == (0.0, [0.0] * INPUTS)
    assert means == pytest.approx(inputs.mean(axis=0), rel=EXACT)
    changing = [at for at in range(INPUTS) if at != 3]
    assert np.array(deviations)[changing] == pytest.approx(inputs.std(axis=0)[changing], rel=EXACT)
    assert deviations[3] == 1e-9, "of what never changes"


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("rate", "iterations"), [(0.05, 1), (0.8, 300)])
def test_steps_of_training_are_those_of_numpy(rate: float, iterations: int, *, bias: bool) -> None:
    inputs, outcomes = drawn(2)
    model = trained(inputs, outcomes, rate, iterations, bias=bias)
    intercept, weights = by_numpy(inputs, outcomes, rate, iterations, bias=bias)
    assert model[0] == pytest.approx(intercept, rel=EXACT, abs=1e-15)
    assert model[1] == pytest.approx(weights, rel=EXACT)
    assert max(map(abs, model[1])) > 0.005, "something is learned"


def test_training_goes_on_from_what_was_learned() -> None:
    inputs, outcomes = drawn(3)
    seen = samples(inputs, outcomes)
    once = trained(inputs, outcomes, 0.05, 40)
    twice = _core.scaled_model(seen)
    for _ in range(2):
        twice = _core.trained_model(twice, seen, rate=0.05, iterations=20)
    assert once == twice


@pytest.mark.parametrize("seed", [4, 5])
def test_training_ends_where_scikit_learn_does(seed: int) -> None:
    # Here, so that only the process that runs this takes the second that the import needs.
    from sklearn.linear_model import LogisticRegression

    inputs, outcomes = drawn(seed)
    model = trained(inputs, outcomes, 1.0, 4000)
    theirs = LogisticRegression(C=math.inf, tol=1e-12, max_iter=10_000).fit(scaled(inputs), outcomes)
    assert model[1] == pytest.approx(theirs.coef_[0], rel=1e-5)
    assert model[0] == pytest.approx(theirs.intercept_[0], rel=1e-5)
    chances = theirs.predict_proba(scaled(inputs))[:, 1]
    assert _core.scores(model, inputs.tolist()) == pytest.approx(chances, rel=1e-5)
    assert min(np.mean(chances < 0.5), np.mean(chances > 0.5)) > 0.1, "both outcomes are predicted"
    few = np.array(_core.scores(trained(inputs, outcomes, 0.05, 20), inputs.tolist())) >= 0.5
    agree = float(np.mean(few == theirs.predict(scaled(inputs))))
    assert agree > 0.9, "the paper's twenty steps find the direction, if not its length"


def test_scores_are_those_of_numpy() -> None:
    stream = np.random.default_rng(8)
    weights, means = stream.normal(0, 3, INPUTS), stream.random(INPUTS)
    deviations = stream.uniform(0.01, 1, INPUTS)
    model: Model = (-1.5, weights.tolist(), means.tolist(), deviations.tolist())
    inputs = stream.random((5000, INPUTS))
    chances = 1 / (1 + np.exp(-(-1.5 + ((inputs - means) / deviations) @ weights)))
    found = np.array(_core.scores(model, inputs.tolist()))
    # Where the exponent is large, a last digit of it is many of the result's.
    exponents = np.abs(((inputs - means) / deviations) * weights).sum(axis=1)
    assert np.all(np.abs(found / chances - 1) <= 4e-15 * (1 + exponents))
    moderate = exponents < 100
    assert np.mean(moderate) > 0.1
    assert found[moderate] == pytest.approx(chances[moderate], rel=EXACT)
