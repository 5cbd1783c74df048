//! What a setting could be instead, declared beside it: what a study of sensitivity (`reclaim sensitivity`) moves it
//! to.
//!
//! Every key of a configuration has either alternatives, with where they come from, or one of three reasons to have
//! none. They stand in the schema as `x-alternatives`, in lists of policies, and in `docs/configuration.md`.

use serde::Serialize;

/// What it means for a conclusion if a setting turns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The text of a paper permits both, or simulators of the field differ.
    Reading,
    /// A parameter that papers leave out.
    Unprinted,
    /// Load, workload, drive or flash: what the conclusion is about.
    Scope,
}

/// Why a key has no alternatives; there are no other reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exemption {
    /// What something is called, or which of equally likely runs it is: a name, a seed, the number of a thing.
    Identity,
    /// Where an input is, what it holds, and how it is read.
    Path,
    /// What is written down beside the run, which goes on as ever.
    Recording,
}

/// The alternatives of one key, or why there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Alternatives {
    /// Values to move to.
    Moves {
        /// What it means if one of them turns a conclusion.
        kind: Kind,
        /// As `--set` takes them, or `×` and a factor for the value at hand. Of a choice, all that make sense: the
        /// alternatives are the others.
        values: &'static [&'static str],
        /// Where they come from, in one sentence.
        why: &'static str,
    },
    /// There are none, for one of three reasons.
    Exempt {
        /// Which of the reasons it is.
        exempt: Exemption,
    },
}

/// Alternatives that the text of a paper permits, or that other simulators have.
pub const fn reading(values: &'static [&'static str], why: &'static str) -> Alternatives {
    Alternatives::Moves { kind: Kind::Reading, values, why }
}

/// Alternatives of a parameter that papers leave out.
pub const fn unprinted(values: &'static [&'static str], why: &'static str) -> Alternatives {
    Alternatives::Moves { kind: Kind::Unprinted, values, why }
}

/// Alternatives of what a conclusion is about.
pub const fn scope(values: &'static [&'static str], why: &'static str) -> Alternatives {
    Alternatives::Moves { kind: Kind::Scope, values, why }
}

/// No alternatives.
pub const fn exempt(exempt: Exemption) -> Alternatives {
    Alternatives::Exempt { exempt }
}

/// Both values of a switch.
pub const SWITCH: &[&str] = &["false", "true"];
