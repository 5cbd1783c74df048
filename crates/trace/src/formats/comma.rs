//! Columns between commas, each with its name for messages.

use crate::cursor::Cursor;
use crate::error::excerpt;
use crate::units::TimeUnit;

/// A line of a comma-separated format.
pub(super) struct Columns<'a> {
    cursor: Cursor<'a>,
    /// How many columns a line has, as a word.
    needed: &'static str,
}

impl<'a> Columns<'a> {
    pub(super) fn new(line: &'a [u8], needed: &'static str) -> Self {
        Self { cursor: Cursor::new(line), needed }
    }

    /// A whole number and the comma after it.
    #[inline]
    pub(super) fn number(&mut self, name: &str) -> Result<u64, String> {
        let value = self.cursor.number().map_err(|fault| fault.of(name))?;
        self.comma(name)?;
        Ok(value)
    }

    /// The whole number that ends the line.
    #[inline]
    pub(super) fn last_number(&mut self, name: &str) -> Result<u64, String> {
        let value = self.cursor.number().map_err(|fault| fault.of(name))?;
        self.end(name)?;
        Ok(value)
    }

    /// A time in `unit`, with or without decimals, and the comma after it; in ns.
    #[inline]
    pub(super) fn time(&mut self, name: &str, unit: TimeUnit) -> Result<u64, String> {
        let time_ns = self.last_time(name, unit)?;
        self.comma(name)?;
        Ok(time_ns)
    }

    /// A time after which the line may end.
    #[inline]
    pub(super) fn last_time(&mut self, name: &str, unit: TimeUnit) -> Result<u64, String> {
        let (time_ns, _) = self.cursor.fixed_point(unit.decimals()).map_err(|fault| fault.of(name))?;
        Ok(time_ns)
    }

    /// Whatever stands before the next comma.
    #[inline]
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.cursor.until(b',')
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.cursor.rest()
    }

    #[inline]
    pub(super) fn comma(&mut self, name: &str) -> Result<(), String> {
        if self.cursor.eat(b',') { Ok(()) } else { Err(self.after(name)) }
    }

    #[inline]
    pub(super) fn end(&self, name: &str) -> Result<(), String> {
        if self.cursor.rest().is_empty() { Ok(()) } else { Err(self.after(name)) }
    }

    #[cold]
    fn after(&self, name: &str) -> String {
        match self.cursor.peek() {
            None => format!("the line ends after {name}; {} columns are needed", self.needed),
            Some(_) => format!("unexpected \"{}\" after {name}", excerpt(self.cursor.rest())),
        }
    }
}

/// The message for an operation that is none of those a column may hold.
#[cold]
pub(super) fn unknown(name: &str, word: &[u8], valid: &str) -> String {
    format!("unknown {name} \"{}\"; valid: {valid}", excerpt(word))
}
