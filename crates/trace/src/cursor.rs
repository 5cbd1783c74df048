//! Taking a line apart, byte by byte, without allocating.

/// Why a number cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// There is no digit where the number should start.
    Missing,
    /// There is a minus sign where the number should start.
    Negative,
    /// The number needs more than 64 bits.
    Overflow,
    /// There is no digit after the decimal point.
    NoDecimals,
}

const POWERS_OF_TEN: [u64; 10] =
    [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

impl NumberFault {
    /// The fault as a sentence about `what`.
    #[cold]
    pub(crate) fn of(self, what: &str) -> String {
        match self {
            Self::Missing => format!("{what} is missing or not a number"),
            Self::Negative => format!("{what} is negative"),
            Self::Overflow => format!("{what} is too large for 64 bits"),
            Self::NoDecimals => format!("{what} has no digit after its decimal point"),
        }
    }
}

/// The unread rest of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Step over blanks; says whether there was one.
    #[inline]
    pub(crate) fn blanks(&mut self) -> bool {
        let before = self.rest.len();
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.rest.len() < before
    }

    /// Step over `byte` if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Everything up to `byte`, stepping over it; the whole rest if it does not occur.
    #[inline]
    pub(crate) fn until(&mut self, byte: u8) -> &'a [u8] {
        let length = self.rest.iter().position(|b| *b == byte).unwrap_or(self.rest.len());
        let (found, rest) = self.rest.split_at(length);
        self.rest = rest.get(1..).unwrap_or(rest);
        found
    }

    /// Everything up to the next blank.
    #[inline]
    pub(crate) fn word(&mut self) -> &'a [u8] {
        let length = self.rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(self.rest.len());
        let (found, rest) = self.rest.split_at(length);
        self.rest = rest;
        found
    }

    /// The first 16 digits, or as many as there are, of a text of at least 16 bytes: the number, and how many they are.
    #[inline]
    fn first_digits(&self) -> Option<(u64, usize)> {
        let (eight, rest) = self.rest.split_first_chunk()?;
        let next_eight = rest.first_chunk()?;
        let (value, count) = leading_digits(*eight);
        if count < 8 {
            return Some((value, count));
        }
        let (next, digits) = leading_digits(*next_eight);
        Some((value * POWERS[digits] + next, count + digits))
    }

    /// A whole number in decimal of 1 to 15 digits with more text behind it, and how many digits it had; `None`, and
    /// nothing stepped over, where that is not what comes next.
    #[inline]
    pub(crate) fn short_digits(&mut self) -> Option<(u64, usize)> {
        let found = self.first_digits().filter(|(_, count)| (1..16).contains(count))?;
        self.rest = &self.rest[found.1..];
        Some(found)
    }

    /// A whole number in decimal, and how many digits it had.
    #[inline]
    pub(crate) fn digits(&mut self) -> Result<(u64, usize), NumberFault> {
        match self.first_digits() {
            Some((value, count)) if (1..16).contains(&count) => {
                self.rest = &self.rest[count..];
                Ok((value, count))
            }
            first => self.more_digits(first.unwrap_or_default()),
        }
    }

    /// The same with so many digits of it read already.
    fn more_digits(&mut self, (mut value, mut count): (u64, usize)) -> Result<(u64, usize), NumberFault> {
        // Nineteen digits always fit; only a longer number needs checking digit by digit.
        const SAFE_DIGITS: usize = 19;
        // Eight at a time while there are eight bytes and the number surely fits.
        while let Some(chunk) = self.rest[count..].first_chunk::<8>()
            && count + 8 <= SAFE_DIGITS
        {
            let (leading, digits) = leading_digits(*chunk);
            value = value * POWERS[digits] + leading;
            count += digits;
            if digits < 8 {
                return self.counted(value, count);
            }
        }
        while let Some(digit) = self.rest.get(count).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            if count < SAFE_DIGITS {
                value = value * 10 + u64::from(digit);
            } else {
                value = value
                    .checked_mul(10)
                    .and_then(|v| v.checked_add(u64::from(digit)))
                    .ok_or(NumberFault::Overflow)?;
            }
            count += 1;
        }
        self.counted(value, count)
    }

    #[inline]
    fn counted(&mut self, value: u64, count: usize) -> Result<(u64, usize), NumberFault> {
        if count == 0 {
            return Err(if self.peek() == Some(b'-') { NumberFault::Negative } else { NumberFault::Missing });
        }
        self.rest = &self.rest[count..];
        Ok((value, count))
    }

    /// A number with or without a decimal point, in units of its `scale`-th decimal, and how many decimals it had.
    /// Decimals beyond the `scale`-th are dropped.
    #[inline]
    pub(crate) fn fixed_point(&mut self, scale: usize) -> Result<(u64, usize), NumberFault> {
        let whole = self.number()?;
        let mut value = whole.checked_mul(POWERS_OF_TEN[scale]).ok_or(NumberFault::Overflow)?;
        if !self.eat(b'.') {
            return Ok((value, 0));
        }
        let length = self.rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        if length == 0 {
            return Err(NumberFault::NoDecimals);
        }
        let kept = length.min(scale);
        let fraction = self.rest[..kept].iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        self.rest = &self.rest[length..];
        value = value.checked_add(fraction * POWERS_OF_TEN[scale - kept]).ok_or(NumberFault::Overflow)?;
        Ok((value, length))
    }

    /// A whole number in decimal.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, NumberFault> {
        self.digits().map(|(value, _)| value)
    }
}

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number that the leading digits of eight bytes write, and how many of them are digits. All eight are handled at
/// once, as the lanes of one word.
#[inline]
fn leading_digits(bytes: [u8; 8]) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let lanes = u64::from_le_bytes(bytes) ^ (0x30 * ONES);
    // A digit is below 10 now; anything else gets its top bit set, here or already. A carry only reaches lanes behind
    // one that is no digit.
    let others = (lanes.wrapping_add(0x76 * ONES) | lanes) & (0x80 * ONES);
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // Zeros in front of the digits; the last digit comes into the top lane.
    let lanes = lanes << (64 - 8 * digits);
    let pairs = (lanes.wrapping_mul(10) + (lanes >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let eight = fours.wrapping_mul(10_000) + (fours >> 32);
    (eight & 0xFFFF_FFFF, digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_read_as_the_library_reads_them(
            text in "[0-9]{0,22}[,.a-z ]{0,9}",
            more in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let line = [text.as_bytes(), &more].concat();
            let count = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = std::str::from_utf8(&line[..count]).unwrap();
            let mut cursor = Cursor::new(&line);
            match digits.parse::<u64>() {
                Ok(value) => {
                    let short = Cursor::new(&line).short_digits();
                    prop_assert_eq!(short, (count < 16 && line.len() >= 16).then_some((value, count)));
                    prop_assert_eq!(Cursor::new(&line).more_digits((0, 0)), Ok((value, count)));
                    prop_assert_eq!(cursor.digits(), Ok((value, count)));
                    prop_assert_eq!(cursor.rest(), &line[count..]);
                }
                Err(_) if count == 0 => prop_assert!(cursor.digits().is_err()),
                Err(_) => prop_assert_eq!(cursor.digits(), Err(NumberFault::Overflow)),
            }
        }
    }

    #[test]
    fn numbers_to_the_last_of_64_bits() {
        assert_eq!(Cursor::new(b"18446744073709551615,").digits(), Ok((u64::MAX, 20)));
        assert_eq!(Cursor::new(b"18446744073709551616").number(), Err(NumberFault::Overflow));
        assert_eq!(Cursor::new(b"00000000000000000000000001").number(), Ok(1));
        assert_eq!(Cursor::new(b"-1").number(), Err(NumberFault::Negative));
        assert_eq!(Cursor::new(b"x").number(), Err(NumberFault::Missing));
    }

    #[test]
    fn fixed_points_in_units_of_the_last_decimal() {
        let read = |text: &'static [u8], scale| Cursor::new(text).fixed_point(scale);
        assert_eq!(read(b"5265.313 ", 6), Ok((5_265_313_000, 3)));
        assert_eq!(read(b"7", 9), Ok((7_000_000_000, 0)));
        assert_eq!(read(b"0.1234567899", 9), Ok((123_456_789, 10)));
        assert_eq!(read(b"3.999", 0), Ok((3, 3)));
        assert_eq!(read(b"18446744073709551.615", 3), Ok((u64::MAX, 3)));
        assert_eq!(read(b"18446744073709551.616", 3), Err(NumberFault::Overflow));
        assert_eq!(read(b"18446744073709552", 3), Err(NumberFault::Overflow));
        assert_eq!(read(b"1.,", 3), Err(NumberFault::NoDecimals));
        assert_eq!(read(b".5", 3), Err(NumberFault::Missing));
        assert_eq!(read(b"-0.5", 3), Err(NumberFault::Negative));
    }

    #[test]
    fn words_and_separators() {
        let mut cursor = Cursor::new(b"  a,bc d");
        assert!(cursor.blanks() && !cursor.blanks());
        assert_eq!(cursor.until(b','), b"a");
        assert_eq!(cursor.word(), b"bc");
        assert!(!cursor.eat(b'd') && cursor.blanks() && cursor.eat(b'd'));
        assert_eq!((cursor.rest(), cursor.until(b',')), (&b""[..], &b""[..]));
    }
}
