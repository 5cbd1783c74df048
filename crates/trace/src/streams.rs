//! The streams that a drive has.

use crate::Record;

/// The streams that a drive keeps apart.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    /// How many there are, numbered from 0.
    pub(crate) count: u32,
    /// The setting that says how many, for messages.
    pub(crate) key: String,
}

impl Streams {
    /// Why a request is of none of them, if it is.
    pub(crate) fn fault(&self, record: &Record) -> Option<String> {
        let Self { count, key } = self;
        let last = count.saturating_sub(1);
        (u32::from(record.stream) > last).then(|| {
            format!(
                "stream {} is none of the drive's, which are 0 to {last} with {key} = {count}",
                record.stream
            )
        })
    }
}

/// The stream that a file gives this number.
pub(crate) fn of_number(number: u64) -> Result<u8, String> {
    u8::try_from(number).map_err(|_| format!("stream {number} is above {}, the highest there is", u8::MAX))
}
