//! How policies are built: every kind by the same function, which knows the drive and can refuse.

use crate::flash::{Geometry, Timing};
use crate::random::RandomStream;
use crate::registry::{Members, Seam};
use crate::settings::{Config, ConfigError, PolicyChoice};

/// What a policy may know of the drive it is built for.
#[derive(Debug)]
pub struct BuildContext {
    /// The drive's dimensions.
    pub geometry: Geometry,
    /// The drive's times and page levels.
    pub timing: Timing,
    seed: u64,
}

impl BuildContext {
    /// What there is to know of a drive.
    pub fn new(config: &Config, geometry: &Geometry) -> Self {
        Self { geometry: geometry.clone(), timing: Timing::new(config), seed: config.seed }
    }

    /// The random stream called `name`, from its beginning. Whoever takes it must save it with its state.
    pub fn stream(&self, name: &str) -> RandomStream {
        RandomStream::new(self.seed, name)
    }
}

/// Builds a member of the kind `T`; an error says what is wrong with its parameters on this drive.
pub type Build<T> = fn(&PolicyChoice, &BuildContext) -> Result<Box<T>, String>;

impl<T: ?Sized> Members<Build<T>> {
    /// The policy that a choice names.
    ///
    /// # Errors
    /// When its parameters make no sense on this drive.
    pub fn build(&self, choice: &PolicyChoice, context: &BuildContext) -> Result<Box<T>, ConfigError> {
        (self.get(choice).build)(choice, context).map_err(|reason| ConfigError::at(self.key, &reason))
    }

    /// The same of a choice that was checked when its configuration was loaded.
    ///
    /// # Panics
    /// When it was not.
    pub fn build_checked(&self, choice: &PolicyChoice, context: &BuildContext) -> Box<T> {
        self.build(choice, context).unwrap_or_else(|e| panic!("an unchecked choice: {e}"))
    }
}

/// A policy kind whose members can be built.
pub trait PolicyKind: Seam {
    /// Whether the member that `choice` names can be built for this drive.
    ///
    /// # Errors
    /// Why not.
    fn check_build(&self, choice: &PolicyChoice, context: &BuildContext) -> Result<(), ConfigError>;
}

impl<T: ?Sized> PolicyKind for Members<Build<T>> {
    fn check_build(&self, choice: &PolicyChoice, context: &BuildContext) -> Result<(), ConfigError> {
        self.build(choice, context).map(drop)
    }
}
