//! Times of the drives of the tests, in ns: commands of 7 cycles of 1 ns (an erase 5), one byte a nanosecond, 75 us,
//! 750 us and 3.8 ms in the array.

pub const COMMAND: u64 = 7;
pub const DATA: u64 = 4096;
pub const TRANSFER: u64 = COMMAND + DATA;
pub const T_R: u64 = 75_000;
pub const T_PROG: u64 = 750_000;
pub const READ: u64 = TRANSFER + T_R;
pub const WRITE: u64 = TRANSFER + T_PROG;
pub const ERASE: u64 = 5 + 3_800_000;
/// Of a network, from router to router.
pub const HOP: u64 = 10;
