//! Files that hold requests to several devices: which are taken, and the messages about the others.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::hash::Hash;
use std::str::FromStr;

use crate::TraceError;
use crate::checked::ReadOptions;
use crate::options::DeviceChoice;
use crate::register::Register;

/// Number of skipped devices that are remembered for the message that none matched.
const REMEMBERED: usize = 12;

/// Decides, request by request, whether its device is taken.
#[derive(Debug)]
pub(crate) struct Devices<D> {
    choice: DeviceChoice<D>,
    /// What the format calls a device.
    noun: &'static str,
    /// The device of the first request taken.
    first: Option<D>,
    passed_over: Vec<D>,
    /// How the file writes the device that was last taken, where names are compared.
    last_name: Vec<u8>,
    /// Where the device of each request is noted, and the number there of each that was met.
    register: Option<(Register, HashMap<D, usize>)>,
}

impl<D: Copy + Eq + Hash + Display + FromStr<Err = String>> Devices<D> {
    pub(crate) fn new(how: &ReadOptions, noun: &'static str) -> Result<Self, TraceError> {
        Ok(Self {
            choice: if how.register.is_some() { DeviceChoice::All } else { DeviceChoice::of(how.options)? },
            noun,
            first: None,
            passed_over: Vec::new(),
            last_name: Vec::new(),
            register: how.register.map(|register| (register.clone(), HashMap::new())),
        })
    }

    /// Whether a request to `device` is taken; an error for a second device that nobody asked for.
    #[inline]
    pub(crate) fn takes(&mut self, device: D) -> Result<bool, String> {
        match &self.choice {
            DeviceChoice::All => {
                self.note(device);
                Ok(true)
            }
            DeviceChoice::One(wanted) if *wanted == device => Ok(true),
            DeviceChoice::One(_) => {
                self.pass_over(device);
                Ok(false)
            }
            DeviceChoice::Sole => match self.first {
                Some(first) if first == device => Ok(true),
                Some(first) => Err(self.second(first, device)),
                None => {
                    self.first = Some(device);
                    Ok(true)
                }
            },
        }
    }

    /// [`Devices::takes`] for a device still as the bytes in the file, understood by `parse` only when they change.
    #[inline]
    pub(crate) fn takes_named(
        &mut self,
        name: &[u8],
        parse: impl Fn(&[u8]) -> Result<D, String>,
    ) -> Result<bool, String> {
        if !name.is_empty() && *self.last_name == *name {
            return Ok(true);
        }
        let taken = self.takes(parse(name)?)?;
        if taken {
            self.last_name.clear();
            self.last_name.extend_from_slice(name);
        }
        Ok(taken)
    }

    /// Note whose the request is, for whoever lists the devices.
    #[inline]
    fn note(&mut self, device: D) {
        let Some((register, numbers)) = &mut self.register else { return };
        let number = *numbers.entry(device).or_insert_with(|| register.add(device.to_string(), self.noun));
        register.note(number);
    }

    fn pass_over(&mut self, device: D) {
        if self.passed_over.last() == Some(&device)
            || self.passed_over.len() == REMEMBERED
            || self.passed_over.contains(&device)
        {
            return;
        }
        self.passed_over.push(device);
    }

    #[cold]
    fn second(&self, first: D, second: D) -> String {
        let noun = self.noun;
        format!(
            "a request to {noun} {second} in a trace of {noun} {first}: their addresses would overlap; \
             take one with --trace-device {first}, or all with --trace-device all (reclaim trace volumes \
             lists them)"
        )
    }

    /// What a file in which the wanted device does not occur holds instead.
    pub(crate) fn nothing_found(&self) -> Option<String> {
        let DeviceChoice::One(wanted) = &self.choice else { return None };
        if self.passed_over.is_empty() {
            return None;
        }
        let mut text = format!("holds no requests to {} {wanted}; it has", self.noun);
        for (index, device) in self.passed_over.iter().enumerate() {
            let _ = write!(text, "{} {device}", if index == 0 { "" } else { "," });
        }
        if self.passed_over.len() == REMEMBERED {
            text.push_str(" and perhaps more");
        }
        Some(text)
    }
}

/// A device that its format calls by a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Numbered(pub(crate) u64);

impl Display for Numbered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Numbered {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| "this format's devices are whole numbers, as in 4".to_owned())
    }
}

/// A Linux block device by its major and minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MajorMinor(pub(crate) u64, pub(crate) u64);

impl Display for MajorMinor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.0, self.1)
    }
}

impl FromStr for MajorMinor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once(',')
            .and_then(|(major, minor)| Some(Self(major.parse().ok()?, minor.parse().ok()?)))
            .ok_or_else(|| "this format's devices are major,minor, as in 8,16".to_owned())
    }
}

/// A device that its format calls by a name. Kept in place, so that reading one costs no allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Named {
    const MOST: usize = 256;

    /// The name, unless it is too long to be one.
    #[inline]
    pub(crate) fn new(name: &[u8]) -> Result<Self, String> {
        if name.is_empty() {
            return Err("the name of the device is missing".to_owned());
        }
        let mut bytes = [0; Self::MOST];
        bytes
            .get_mut(..name.len())
            .ok_or_else(|| format!("the name of a device has more than {} bytes", Self::MOST))?
            .copy_from_slice(name);
        Ok(Self { bytes, length: name.len() })
    }
}

impl Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::error::excerpt(&self.bytes[..self.length]))
    }
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::new(text.as_bytes())
    }
}
