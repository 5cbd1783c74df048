//! What a trace is like, and how it looks.

use crate::characteristics::{Characteriser, Characteristics, CharacteristicsOptions};
use crate::picture::{self, Picture};
use crate::{Summary, Trace, TraceError};

impl Trace {
    /// Read everything once for the characteristics of the trace, in 4 KiB units.
    pub fn characteristics(&self) -> Result<Characteristics, TraceError> {
        self.describe(CharacteristicsOptions::default()).map(|(_, characteristics)| characteristics)
    }

    /// The trace over time and address space, in at most so many bins of each. `of` are the [`Trace::characteristics`]
    /// of this trace, which tell how far time and addresses go.
    pub fn picture(
        &self,
        of: &Characteristics,
        time_bins: usize,
        address_bins: usize,
    ) -> Result<Picture, TraceError> {
        picture::draw(self.source()?.as_mut(), of, time_bins, address_bins)
    }

    /// The same with other units or another stream window, together with the summary, in one pass.
    pub fn describe(
        &self,
        options: CharacteristicsOptions,
    ) -> Result<(Summary, Characteristics), TraceError> {
        let mut characteriser = Characteriser::new(self.name(), options)?;
        let summary = self.scan_with(|records| characteriser.add(records))?;
        Ok((summary, characteriser.finish()))
    }
}
