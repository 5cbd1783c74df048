//! Single entries are held, those that were used last: DFTL (Gupta, Kim, Urgaonkar; ASPLOS 2009, section 3), with its
//! batched updates: whoever writes a translation page writes all that memory has changed of it.
//!
//! The paper's own program keeps a *segmented* list of entries, of segments whose sizes it does not print; this is one
//! list, the least recently used goes.

use super::{Build, CONFLICTS, Held, METRICS, Unit};
use crate::registry::{Member, ParameterSpec};
use crate::settings::CachedMapping;

pub const MEMBER: Member<Build> = Member {
    name: "dftl",
    about: "memory holds the entries used last, and writes those of a translation page together",
    parameters: &ParameterSpec::of::<CachedMapping>(),
    conflicts: CONFLICTS,
    metrics: METRICS,
    build: |choice, context| Ok(Box::new(Held::new(choice, &context.geometry, Unit::Entry)?)),
};
