//! What results are made of, beside the drive.

use reclaim_trace::Summary;

use super::one_play::OnePlayResult;
use super::sections::AuditResult;
use super::start::StartResult;
use crate::config::Facts;
use crate::metrics::WarmupResult;
use crate::settings::HostConfig;

/// What is known of a run that its drive does not know.
pub(crate) struct Ingredients {
    pub scheme: String,
    pub transforms: Vec<String>,
    pub trace: Summary,
    pub one_play: OnePlayResult,
    /// The trace writes single pages anywhere on the drive, every page as likely as any other.
    pub writes_are_uniform: bool,
    pub facts: Facts,
    /// The host side as it was given, with the die utilisation that was asked for.
    pub asked: HostConfig,
    pub warmup: WarmupResult,
    pub start: StartResult,
    pub audit: Option<AuditResult>,
}
