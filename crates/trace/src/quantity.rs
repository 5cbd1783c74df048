//! Quantities as text with their unit, such as `"75us"`: reading them, and what is wrong with those that are none.

use std::fmt::Display;

use crate::wording::closest;

/// Names of units, and how many of the first each is.
pub type Units = &'static [(&'static str, u128)];

/// How quantities of one kind are written.
#[derive(Debug, Clone, Copy)]
pub struct Notation {
    /// What is expected, with examples, for messages.
    pub expected: &'static str,
    /// The units that it takes, as messages list them.
    pub units: Units,
    /// The unit to suggest where none is like the one that was given, with the blank before it.
    pub usual: &'static str,
    /// The smallest step between two quantities, for messages.
    pub finest: &'static str,
    /// Words that stand for a quantity.
    pub words: &'static [&'static str],
}

/// Splits `"3.8ms"` into the exact decimal (mantissa, digits after the point) and the unit.
fn split(text: &str) -> Option<(u128, u32, &str)> {
    let (number, unit) = number_and_unit(text);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) || fraction.len() > 12 {
        return None;
    }
    let mantissa = format!("{whole}{fraction}").parse().ok()?;
    Some((mantissa, fraction.len() as u32, unit))
}

fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// The whole number of the smallest unit that `text` says, if it says one that fits into 64 bits.
pub fn parse(text: &str, units: Units) -> Option<u64> {
    let (mantissa, digits, unit) = split(text)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let scaled = mantissa.checked_mul(*factor)?;
    let divisor = 10_u128.pow(digits);
    scaled.is_multiple_of(divisor).then_some(scaled / divisor)?.try_into().ok()
}

impl Notation {
    /// What is wrong with `text`, which is no quantity of this kind, and what was probably meant.
    #[cold]
    pub fn amiss(&self, text: &str) -> String {
        let (number, unit) = number_and_unit(text);
        let shown = text.trim();
        if shown.is_empty() {
            return format!("\"\" is empty; expected {}", self.expected);
        }
        if shown.starts_with(['-', '\u{2212}']) && shown.contains(|c: char| c.is_ascii_digit()) {
            return format!("\"{shown}\" is below zero; expected {}", self.expected);
        }
        let is_number = number.contains(|c: char| c.is_ascii_digit());
        if !is_number || unit.contains(|c: char| c.is_ascii_digit()) {
            let near = closest(shown, self.words.iter().copied())
                .map(|near| format!("; did you mean \"{near}\"?"))
                .unwrap_or_default();
            return format!("\"{shown}\" is not understood; expected {}{near}", self.expected);
        }
        let wrong = match self.units.iter().find(|(name, _)| *name == unit) {
            None if unit.is_empty() => format!("\"{shown}\" has no unit"),
            None => format!("\"{shown}\" has the unknown unit \"{unit}\""),
            Some((_, factor)) => return self.refused(shown, *factor),
        };
        self.with_units(&wrong, number, unit)
    }

    /// What is wrong with a number without a unit.
    #[cold]
    pub fn bare(&self, number: impl Display) -> String {
        let number = number.to_string();
        if number.starts_with('-') {
            return format!("the bare number {number} is below zero; expected {}", self.expected);
        }
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return format!("{} is no number; expected {}", number.to_lowercase(), self.expected);
        }
        self.with_units(&format!("the bare number {number} has no unit"), &number, "")
    }

    /// `wrong`, the units there are, and the number with the most similar one.
    fn with_units(&self, wrong: &str, number: &str, unit: &str) -> String {
        let names: Vec<_> = self.units.iter().map(|(name, _)| *name).collect();
        let lower = unit.to_lowercase();
        let alike = || names.iter().find(|name| name.to_lowercase() == lower);
        // 16K is 16KiB to most who write it, 5m may be anything.
        let begun = || names.iter().find(|name| lower.len() == 1 && lower != "m" && begins(name, &lower));
        let blank = if self.usual.starts_with(' ') { " " } else { "" };
        let near = match alike().or_else(|| begun().filter(|_| !unit.is_empty())) {
            Some(name) => format!("{blank}{name}"),
            // Large bare numbers of space are bytes.
            None if unit.is_empty() && self.usual.ends_with("iB") && number.len() > 2 => "B".to_owned(),
            None => self.usual.to_owned(),
        };
        // A share is often written as a fraction.
        let number = match number.parse::<f64>() {
            Ok(share) if near == "%" && unit.is_empty() && share > 0.0 && share < 1.0 => {
                let percent = format!("{:.4}", share * 100.0);
                percent.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            _ => number.to_owned(),
        };
        let suggestion = format!("{number}{near}");
        let is_beyond = ["pib", "eib", "pb", "eb"].contains(&lower.as_str());
        let suggestion = match parse(&suggestion, self.units) {
            Some(_) if !is_beyond => format!("; did you mean \"{suggestion}\"?"),
            _ => String::new(),
        };
        let words = self.words.iter().map(|word| format!("\"{word}\""));
        let valid: Vec<_> = names.into_iter().map(str::to_owned).chain(words).collect();
        format!("{wrong}; valid: {}{suggestion}", valid.join(", "))
    }

    /// Why a number with a unit that there is does not do.
    fn refused(&self, shown: &str, factor: u128) -> String {
        let Some((mantissa, digits, _)) = split(shown) else {
            return format!("\"{shown}\" is not understood; expected {}", self.expected);
        };
        let scaled = mantissa.checked_mul(factor);
        match scaled.filter(|scaled| scaled / 10_u128.pow(digits) <= u128::from(u64::MAX)) {
            None => format!("\"{shown}\" is too large; expected {}", self.expected),
            Some(scaled) if !scaled.is_multiple_of(10_u128.pow(digits)) => {
                format!("\"{shown}\" has too many decimals: the smallest step is {}", self.finest)
            }
            Some(_) => format!("\"{shown}\" is out of range; expected {}", self.expected),
        }
    }
}

fn begins(name: &str, lower: &str) -> bool {
    name.to_lowercase().starts_with(lower)
}
