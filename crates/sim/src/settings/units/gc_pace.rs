//! How many pages collection relocates for each page that the host writes.

use std::fmt;

use reclaim_trace::quantity::Notation;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use super::{PERCENT, Ratio, TextVisitor, percent};

/// How many pages collection relocates for each page that the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GcPace {
    /// As many as it can.
    Off,
    /// As many as win the host a page: the valid pages of the victim over its invalid ones.
    ByVictim,
    /// This share of a page.
    Share(Ratio),
}

impl GcPace {
    /// Whether nothing holds jobs back.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

textual!(
    GcPace,
    "pages for each page that the host writes as a percentage such as \"150%\", or \"by-victim\", or \"off\"",
    PERCENT,
    "%",
    "0.0001%",
    &["off", "by-victim"],
    |text: &str| match text.trim() {
        "off" => Some(GcPace::Off),
        "by-victim" => Some(GcPace::ByVictim),
        share => Ratio::parse(share).map(GcPace::Share),
    },
    |pace: &GcPace| match pace {
        GcPace::Off => "off".to_owned(),
        GcPace::ByVictim => "by-victim".to_owned(),
        GcPace::Share(share) => percent(share.ppm),
    }
);
