//! Drives beside the one that runs: the one that prepares it, and the one on which its time scale is looked for.

use super::{Config, ConfigError, HostConfig, TargetPolicies, WarmupConfig, WarmupPolicies};

impl WarmupPolicies {
    /// Those of a drive.
    pub fn of(config: &Config) -> Self {
        let Config { ftl, gc, interconnect, .. } = config.clone();
        Self { ftl, gc, interconnect }
    }
}

impl TargetPolicies {
    /// Those of a drive.
    pub fn of(config: &Config) -> Self {
        let Config { flash, channel, interconnect, ftl, gc, redundancy, scheduler, .. } = config.clone();
        Self { flash, channel, interconnect, ftl, gc, redundancy, scheduler }
    }
}

impl HostConfig {
    /// The same at a time scale, which takes the place of every die utilisation that was asked for.
    #[must_use]
    pub fn at_scale(&self, time_scale: f64) -> Self {
        Self {
            time_scale,
            target_utilisation: None,
            target_total_utilisation: None,
            target_scheme: None,
            target_policies: None,
            ..self.clone()
        }
    }
}

impl Config {
    /// The drive that warms up, where another takes over from it; `None` where the drive prepares itself.
    pub fn preparing(&self) -> Option<Self> {
        let WarmupPolicies { ftl, gc, interconnect } = *self.warmup.policies.clone()?;
        let warmup = WarmupConfig { scheme: None, policies: None, ..self.warmup.clone() };
        let host = self.host.at_scale(self.host.time_scale);
        Some(Self { interconnect, ftl, gc, host, warmup, ..self.clone() })
    }

    /// The drive that is to have `host.target_total_utilisation`, warmed up as this one is; `None` where its policies
    /// are not known.
    ///
    /// # Errors
    /// When another drive prepares this one, and that one could not prepare it.
    pub fn target_drive(&self) -> Result<Option<Self>, ConfigError> {
        let Some(policies) = self.host.target_policies.clone() else { return Ok(None) };
        let TargetPolicies { flash, channel, interconnect, ftl, gc, redundancy, scheduler } = *policies;
        if self.warmup.policies.is_some() && redundancy != self.redundancy {
            let reason = format!(
                "a drive with these policies has redundancy {}, and the one that prepares it \
                 (warmup.scheme) {}: use schemes with the same redundancy, or let each prepare its own drive",
                redundancy.kind, self.redundancy.kind
            );
            return Err(ConfigError::at("host.target_scheme", &reason));
        }
        let host = self.host.at_scale(1.0);
        Ok(Some(Self { flash, channel, interconnect, ftl, gc, redundancy, scheduler, host, ..self.clone() }))
    }
}
