//! The drive that prepares another one.

use super::{Config, WarmupConfig, WarmupPolicies};

impl WarmupPolicies {
    /// Those of a drive.
    pub fn of(config: &Config) -> Self {
        let Config { ftl, gc, interconnect, .. } = config.clone();
        Self { ftl, gc, interconnect }
    }
}

impl Config {
    /// The drive that warms up, where another takes over from it; `None` where the drive prepares itself.
    pub fn preparing(&self) -> Option<Self> {
        let WarmupPolicies { ftl, gc, interconnect } = *self.warmup.policies.clone()?;
        let warmup = WarmupConfig { scheme: None, policies: None, ..self.warmup.clone() };
        Some(Self { interconnect, ftl, gc, warmup, ..self.clone() })
    }
}
