//! Whole translation pages are held, those that were used last: what a controller does that reads its mapping as it
//! reads any page.

use super::{Build, CONFLICTS, Held, METRICS, Unit};
use crate::registry::{Member, ParameterSpec};
use crate::settings::CachedMapping;

pub const MEMBER: Member<Build> = Member {
    name: "pages",
    about: "memory holds the translation pages used last, each whole",
    parameters: &ParameterSpec::of::<CachedMapping>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| Ok(Box::new(Held::new(choice, &context.geometry, Unit::Page)?)),
};
