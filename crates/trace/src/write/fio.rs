//! A fio iolog, version 3: `time_us file action offset length`. Times are whole microseconds.

use std::io::Write;

use super::text::{Encoder, Losses};
use crate::{Op, Record};

/// The file name in the log. fio replays to it unless `replay_redirect` names another.
const FILE: &str = "trace";
const MICROSECOND_NS: u64 = 1000;

#[derive(Default)]
pub(super) struct Fio {
    rounded: u64,
    last_us: u64,
}

impl Encoder for Fio {
    fn begin(&mut self, text: &mut Vec<u8>) {
        writeln!(text, "fio version 3 iolog\n0 {FILE} add\n0 {FILE} open").expect("a vector takes any text");
    }

    fn record(&mut self, record: &Record, text: &mut Vec<u8>) {
        self.last_us = record.time_ns / MICROSECOND_NS;
        if !record.time_ns.is_multiple_of(MICROSECOND_NS) {
            self.rounded += 1;
        }
        let action = match record.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "sync",
        };
        let Record { offset_bytes, size_bytes, .. } = record;
        writeln!(text, "{} {FILE} {action} {offset_bytes} {size_bytes}", self.last_us)
            .expect("a vector takes any text");
    }

    fn end(&mut self, text: &mut Vec<u8>) {
        writeln!(text, "{} {FILE} close", self.last_us).expect("a vector takes any text");
    }

    fn losses(&self) -> Losses {
        let rounded = self.rounded;
        let told =
            format!("{rounded} times rounded down to whole microseconds, which is all that fio's format has");
        Losses { left_out: 0, told: if rounded == 0 { Vec::new() } else { vec![told] } }
    }
}
