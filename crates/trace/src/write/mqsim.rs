//! MQSim ASCII: `arrival_ns device start_sector sectors type`. Knows reads and writes of whole sectors only.

use std::io::Write;

use super::text::{Encoder, Losses};
use crate::units::SECTOR_BYTES;
use crate::{Op, Record};

#[derive(Default)]
pub(super) struct Mqsim {
    trims: u64,
    flushes: u64,
    widened: u64,
}

impl Encoder for Mqsim {
    fn begin(&mut self, _text: &mut Vec<u8>) {}

    fn record(&mut self, record: &Record, text: &mut Vec<u8>) {
        let code = match record.op {
            Op::Read => 1,
            Op::Write => 0,
            Op::Trim => {
                self.trims += 1;
                return;
            }
            Op::Flush => {
                self.flushes += 1;
                return;
            }
        };
        if !(record.offset_bytes | record.size_bytes).is_multiple_of(SECTOR_BYTES) {
            self.widened += 1;
        }
        let first = record.offset_bytes / SECTOR_BYTES;
        let sectors = record.end_bytes().div_ceil(SECTOR_BYTES) - first;
        writeln!(text, "{} 0 {first} {sectors} {code}", record.time_ns).expect("a vector takes any text");
    }

    fn losses(&self) -> Losses {
        let kinds = [
            (self.trims, "trims left out: MQSim's format has none"),
            (self.flushes, "flushes left out: MQSim's format has none"),
            (self.widened, "requests widened to whole sectors of 512 bytes"),
        ];
        let met = kinds.into_iter().filter(|(count, _)| *count > 0);
        Losses {
            left_out: self.trims + self.flushes,
            told: met.map(|(count, what)| format!("{count} {what}")).collect(),
        }
    }
}
