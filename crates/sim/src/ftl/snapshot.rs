//! Saving and restoring the state of a drive, so that a sweep warms up once.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Ftl;
use super::blocks::BlockTable;
use super::mapping::Mapping;
use super::planes::Plane;
use crate::config::Config;
use crate::engine::Stream;

/// Why a saved state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It is the state of another drive.
    #[error(
        "{path}: this is the state of another drive: {what} differs; warm up again or use the same settings"
    )]
    Other {
        /// The file.
        path: std::path::PathBuf,
        /// What differs.
        what: String,
    },
}

/// What is kept of a drive at rest.
#[derive(Serialize, Deserialize)]
struct State {
    /// Settings the state depends on, as JSON: compared before the state is used.
    drive: String,
    map: Mapping,
    blocks: BlockTable,
    planes: Vec<Plane>,
    victim: Vec<u8>,
    victim_stream: Stream,
    allocation: Vec<u8>,
    programmed: u64,
    warmup: String,
}

/// First bytes of a state file; the number is that of the format. A hash of what follows comes next, so that whatever
/// is read back is what was written.
const MAGIC: &[u8] = b"reclaim-state-3\n";

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("settings are plain tables")
}

/// The settings that decide what the state of a drive can be.
fn fingerprint(config: &Config) -> Vec<(&'static str, String)> {
    vec![
        ("geometry", json(&config.geometry)),
        ("ftl", json(&config.ftl)),
        ("gc.victim", json(&config.gc.victim)),
        ("gc.trigger", json(&config.gc.trigger)),
        ("redundancy", json(&config.redundancy)),
    ]
}

impl Ftl {
    /// Writes the state of a drive at rest to a file, compressed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, config: &Config, warmup: &str, path: &Path) -> Result<(), SnapshotError> {
        let state = State {
            drive: json(&fingerprint(config)),
            map: self.map.clone(),
            blocks: self.blocks.clone(),
            planes: self.planes.clone(),
            victim: self.victim.save(),
            victim_stream: self.victim_stream.clone(),
            allocation: self.allocation.save(),
            programmed: self.programmed,
            warmup: warmup.to_owned(),
        };
        let failed = |reason: String| SnapshotError::File { path: path.to_owned(), reason };
        let bytes = postcard::to_stdvec(&state).map_err(|e| failed(e.to_string()))?;
        let packed = zstd::encode_all(bytes.as_slice(), 1).map_err(|e| failed(e.to_string()))?;
        let hash = blake3::hash(&packed);
        std::fs::write(path, [MAGIC, hash.as_bytes(), &packed].concat()).map_err(|e| failed(e.to_string()))
    }

    /// Takes up a state saved with the same settings; returns what was noted with it.
    ///
    /// # Errors
    /// When the file cannot be read, is no saved state, or belongs to a drive with other settings.
    pub fn load(&mut self, config: &Config, path: &Path) -> Result<String, SnapshotError> {
        let failed = |reason: &str| SnapshotError::File { path: path.to_owned(), reason: reason.to_owned() };
        let file = std::fs::read(path).map_err(|e| failed(&e.to_string()))?;
        let packed =
            file.strip_prefix(MAGIC).ok_or_else(|| failed("not a drive state saved by this version"))?;
        let damaged = || failed("the saved state is damaged");
        let (hash, packed) = packed.split_at_checked(blake3::OUT_LEN).ok_or_else(damaged)?;
        if blake3::hash(packed).as_bytes() != hash {
            return Err(damaged());
        }
        let bytes = zstd::decode_all(packed).map_err(|_| damaged())?;
        let state: State = postcard::from_bytes(&bytes).map_err(|_| damaged())?;
        let theirs: Vec<(String, String)> = serde_json::from_str(&state.drive).map_err(|_| damaged())?;
        let ours = fingerprint(config);
        if let Some((what, _)) = ours.iter().zip(&theirs).find(|(a, b)| a.1 != b.1).map(|(a, _)| a) {
            return Err(SnapshotError::Other { path: path.to_owned(), what: (*what).to_owned() });
        }
        let fits = state.map.fits(self.map.logical_pages(), self.geometry.pages())
            && state.blocks.len() == self.blocks.len()
            && state.planes.len() == self.planes.len()
            && self.victim.load(&state.victim)
            && self.allocation.load(&state.allocation);
        if !fits {
            return Err(damaged());
        }
        self.map = state.map;
        self.blocks = state.blocks;
        self.planes = state.planes;
        self.free_blocks = self.planes.iter().map(|plane| plane.free.len()).sum();
        self.victim_stream = state.victim_stream;
        self.programmed = state.programmed;
        if let Some(versions) = &mut self.versions {
            versions.adopt(&self.map, &self.blocks);
        }
        Ok(state.warmup)
    }
}
