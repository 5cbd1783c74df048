//! Logistic regression with eight inputs: the probability that most of a block's data is overwritten soon (CoupledCB,
//! section III-C, equations 2 and 3), and its training by gradient descent.
//!
//! Nothing but additions, multiplications, divisions and roundings to whole numbers of doubles, in a fixed order: the
//! same on every machine.

use serde::{Deserialize, Serialize};

/// Inputs: invalid ratio of the block now and at the last window's end; the same of its plane; share of requests that
/// write in this window and in the last one; share of written pages that held something before, likewise.
pub const INPUTS: usize = 8;

/// What is learned from: inputs, and what became of the block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// What was known of the block and of the host.
    pub inputs: [f64; INPUTS],
    /// What the model should have said: 1 if it was invalidated and 0 if not, or the share of its pages that was.
    pub target: f64,
}

/// A model: how inputs are scaled, and what they weigh.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// What is added to the weighted inputs.
    pub bias: f64,
    /// Of each scaled input.
    pub weights: [f64; INPUTS],
    /// Subtracted from each input.
    pub means: [f64; INPUTS],
    /// Each difference is divided by.
    pub deviations: [f64; INPUTS],
}

/// A standard deviation that is smaller is taken to be this: an input that never changes says nothing.
const LEAST_DEVIATION: f64 = 1e-9;

impl Model {
    /// One that knows nothing: every probability is a half.
    pub const EMPTY: Self =
        Self { bias: 0.0, weights: [0.0; INPUTS], means: [0.0; INPUTS], deviations: [1.0; INPUTS] };

    /// One that knows nothing but how the inputs of some samples are spread.
    pub fn scaled_for(samples: &[Sample]) -> Self {
        let mut model = Self::EMPTY;
        let count = samples.len().max(1) as f64;
        for at in 0..INPUTS {
            let mut sum = 0.0;
            for sample in samples {
                sum += sample.inputs[at];
            }
            let mean = sum / count;
            let mut squares = 0.0;
            for sample in samples {
                let off = sample.inputs[at] - mean;
                squares += off * off;
            }
            model.means[at] = mean;
            model.deviations[at] = (squares / count).sqrt().max(LEAST_DEVIATION);
        }
        model
    }

    /// Probability that most of a block's data will be invalid soon, 0 to 1.
    pub fn score(&self, inputs: &[f64; INPUTS]) -> f64 {
        let mut sum = self.bias;
        for (at, scaled) in self.scaled(inputs).into_iter().enumerate() {
            sum += self.weights[at] * scaled;
        }
        1.0 / (1.0 + exp(-sum))
    }

    fn scaled(&self, inputs: &[f64; INPUTS]) -> [f64; INPUTS] {
        std::array::from_fn(|at| (inputs[at] - self.means[at]) / self.deviations[at])
    }

    /// Steps of gradient descent over all samples at once. Without `bias` the bias stays what it is, as in the library
    /// that the paper names.
    pub fn train(&mut self, samples: &[Sample], rate: f64, iterations: u32, bias: bool) {
        if samples.is_empty() {
            return;
        }
        let count = samples.len() as f64;
        for _ in 0..iterations {
            let (mut of_bias, mut of_weights) = (0.0, [0.0; INPUTS]);
            for sample in samples {
                let error = self.score(&sample.inputs) - sample.target;
                of_bias += error;
                for (gradient, scaled) in of_weights.iter_mut().zip(self.scaled(&sample.inputs)) {
                    *gradient += error * scaled;
                }
            }
            if bias {
                self.bias -= rate * (of_bias / count);
            }
            for (weight, gradient) in self.weights.iter_mut().zip(of_weights) {
                *weight -= rate * (gradient / count);
            }
        }
    }
}

/// e to the power of `x`, for `x` from -700 to 700 and the nearest of these beyond. Libraries differ in the last digit
/// from machine to machine; this is a Taylor series of fourteen terms behind a reduction to half of ln 2, exact to
/// within 1e-15 of the result.
pub fn exp(x: f64) -> f64 {
    // ln 2 in two parts, of which the first has zeros at its end, so that its multiples are exact.
    const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let x = x.clamp(-700.0, 700.0);
    let doublings = (x * std::f64::consts::LOG2_E + 0.5).floor();
    let rest = (x - doublings * LN2_HIGH) - doublings * LN2_LOW;
    let mut sum = 1.0;
    for term in (1..=13_u32).rev() {
        sum = 1.0 + rest / f64::from(term) * sum;
    }
    sum * f64::from_bits(((doublings as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_e_are_exact_to_the_last_digits() {
        for step in -6990..=6990 {
            let x = f64::from(step) * 0.1;
            let (ours, theirs) = (exp(x), x.exp());
            assert!((ours / theirs - 1.0).abs() < 2e-15, "e^{x}: {ours} instead of {theirs}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e9), exp(-700.0));
    }

    /// Who knows nothing is off by a half for each of two samples. Of input 0 the mean gradient is -(0.5 * 2) / 2, of
    /// input 1 -(0.5 * 4) / 2, of the bias -(0.5 + 0.5) / 2; a step at a rate of 0.25 goes a quarter of that.
    #[test]
    fn a_step_goes_by_the_mean_of_the_samples() {
        let sample = |at: usize, input: f64| {
            let mut inputs = [0.0; INPUTS];
            inputs[at] = input;
            Sample { inputs, target: 1.0 }
        };
        let samples = [sample(0, 2.0), sample(1, 4.0)];
        for (bias, expected) in [(true, 0.125), (false, 0.0)] {
            let mut model = Model::EMPTY;
            model.train(&samples, 0.25, 1, bias);
            assert_eq!((model.bias, model.weights[..3].to_vec()), (expected, vec![0.125, 0.25, 0.0]));
        }
    }

    /// Of 1, 3, 5 and 7 the mean is 4, and they are off by 3, 1, 1 and 3: sqrt(20 / 4).
    #[test]
    fn inputs_are_scaled_by_mean_and_standard_deviation() {
        let samples = [1.0, 3.0, 5.0, 7.0].map(|input| Sample { inputs: [input; INPUTS], target: 1.0 });
        let model = Model::scaled_for(&samples);
        assert_eq!((model.means, model.deviations), ([4.0; INPUTS], [5.0_f64.sqrt(); INPUTS]));
    }

    #[test]
    fn an_input_that_never_changes_weighs_nothing() {
        let samples = [0.0, 1.0].map(|target| Sample { inputs: [0.25; INPUTS], target });
        let mut model = Model::scaled_for(&samples);
        model.train(&samples, 0.05, 20, true);
        assert_eq!(model.weights, [0.0; INPUTS]);
        assert_eq!(model.score(&samples[0].inputs), 0.5);
    }
}
