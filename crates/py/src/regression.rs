//! The regression of coupled blocks: its trainer and its scorer, for training it beforehand and for tests.

use pyo3::prelude::*;
use reclaim_sim::gc::relocation::Sample;
use reclaim_sim::gc::relocation::regression::{INPUTS, Model};

/// Bias, weights, means and deviations.
type Parts = (f64, [f64; INPUTS], [f64; INPUTS], [f64; INPUTS]);

fn model_of((bias, weights, means, deviations): Parts) -> Model {
    Model { bias, weights, means, deviations }
}

fn parts_of(model: &Model) -> Parts {
    (model.bias, model.weights, model.means, model.deviations)
}

fn samples_of(samples: &[([f64; INPUTS], f64)]) -> Vec<Sample> {
    samples.iter().map(|(inputs, target)| Sample { inputs: *inputs, target: *target }).collect()
}

/// A model that knows nothing but how the inputs of some samples are spread: (bias, weights, means, deviations), the
/// last three with eight numbers each. A sample is eight inputs, shares from 0 to 1, and what the model should
/// say: 1 if the block was invalidated and 0 if not, or the share of its pages that was.
#[pyfunction]
// Python hands over owned values.
#[allow(clippy::needless_pass_by_value)]
pub fn scaled_model(samples: Vec<([f64; INPUTS], f64)>) -> Parts {
    parts_of(&Model::scaled_for(&samples_of(&samples)))
}

/// The model after so many steps of gradient descent on the mean logarithmic loss over all samples at once (CoupledCB,
/// section III-C). Means and deviations stay; without `bias` the bias does, too.
#[pyfunction]
#[pyo3(signature = (model, samples, *, rate, iterations, bias=true))]
#[allow(clippy::needless_pass_by_value)]
pub fn trained_model(
    model: Parts,
    samples: Vec<([f64; INPUTS], f64)>,
    rate: f64,
    iterations: u32,
    bias: bool,
) -> Parts {
    let mut trained = model_of(model);
    trained.train(&samples_of(&samples), rate, iterations, bias);
    parts_of(&trained)
}

/// What the model says of each list of eight inputs: the probability, 0 to 1, that most of the block's data is
/// overwritten soon.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn scores(model: Parts, inputs: Vec<[f64; INPUTS]>) -> Vec<f64> {
    let model = model_of(model);
    inputs.iter().map(|inputs| model.score(inputs)).collect()
}
