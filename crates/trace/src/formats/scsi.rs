//! The commands of SCSI that traces name by their operation codes.

use crate::Op;

/// What a SCSI operation code (SBC-4, table 33) asks for; `None` if it touches no blocks.
#[inline]
pub(super) fn op(code: u16) -> Result<Option<Op>, String> {
    match code {
        // READ and WRITE of 6, 10, 12 and 16 bytes; WRITE AND VERIFY and COMPARE AND WRITE write, too.
        0x08 | 0x28 | 0xA8 | 0x88 => Ok(Some(Op::Read)),
        0x0A | 0x2A | 0xAA | 0x8A | 0x2E | 0xAE | 0x8E | 0x89 => Ok(Some(Op::Write)),
        // SYNCHRONIZE CACHE.
        0x35 | 0x91 => Ok(Some(Op::Flush)),
        // UNMAP names its blocks in its data, which the trace does not have; the rest of these move no block data:
        // TEST UNIT READY, REQUEST SENSE, INQUIRY, MODE SENSE and SELECT, RESERVE, RELEASE, START STOP UNIT, READ
        // CAPACITY, VERIFY, WRITE SAME, LOG SENSE, PERSISTENT RESERVE, REPORT LUNS, MAINTENANCE IN, EXTENDED COPY,
        // RECEIVE COPY RESULTS, SERVICE ACTION IN.
        0x42 | 0x00 | 0x03 | 0x12 | 0x1A | 0x15 | 0x5A | 0x55 | 0x16 | 0x17 | 0x1B | 0x25 | 0x2F | 0x8F
        | 0x41 | 0x93 | 0x4D | 0x5E | 0x5F | 0xA0 | 0xA3 | 0x83 | 0x84 | 0x9E => Ok(None),
        _ => Err(format!("unknown SCSI operation code {code:#04x}")),
    }
}
