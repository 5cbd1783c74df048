//! Saving and restoring the state of a drive, so that a sweep warms up once.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use reclaim_trace::{FileKind, open_file};
use serde::{Deserialize, Serialize};

use super::policies::Policies;
use super::state::Ftl;
use super::take_over::Contents;
use crate::flash::Geometry;
use crate::ids::Lpn;
use crate::mapping::{AppendPoints, BlockTable, CachePlane, Classes, Mapping, PlaneState};
use crate::settings::Config;

const SAVED_STATE: FileKind = FileKind { what: "a saved state", why: "" };

/// Why a saved state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The state file that was given, as the message names it.
        path: std::path::PathBuf,
        /// What is wrong with the file, as the message says it.
        reason: String,
    },
    /// It is the state of another drive.
    #[error(
        "{path}: this is the state of another drive: {what} differs; warm up again or use the same settings"
    )]
    Other {
        /// The state file that was given, as the message names it.
        path: std::path::PathBuf,
        /// The first section of settings that differs: what to change to make the state usable.
        what: String,
    },
    /// Another build of the program has saved it.
    #[error(
        "{path}: was saved by build {theirs}, and this is build {ours}, which may warm up otherwise; warm up \
         again, or take it as it is with --accept-build {theirs}"
    )]
    Build {
        /// The state file that was given, as the message names it.
        path: std::path::PathBuf,
        /// The name of the build that saved it.
        theirs: String,
        /// The name of the build that runs.
        ours: String,
    },
}

/// Settings, by what messages call them, each as JSON.
type Settings = Vec<(String, String)>;

/// What is saved of a drive at rest. Settings and note come first: [`noted`] reads no further.
#[derive(Serialize, Deserialize)]
struct State<'a> {
    /// Settings that the contents of the flash depend on: a drive with others has no use for them.
    flash: Settings,
    /// Settings that the state of policies depends on: a drive with others takes over the flash alone.
    deciding: Settings,
    /// What was noted with it.
    warmup: String,
    map: Cow<'a, Mapping>,
    blocks: Cow<'a, BlockTable>,
    planes: Cow<'a, [PlaneState]>,
    points: Cow<'a, AppendPoints>,
    /// Where classes are kept apart: those of all pages.
    classes: Option<Cow<'a, Classes>>,
    /// Where there is an SLC cache: that of every plane.
    cache: Option<Cow<'a, [CachePlane]>>,
    /// Translation pages that are to be brought up to date.
    outdated: Cow<'a, [Lpn]>,
    /// State of every policy that decides without time, their random streams included.
    policies: Vec<Vec<u8>>,
    programmed: u64,
    /// Of which stream the data of every page is, where any is of another than 0.
    streams: Option<Cow<'a, [u8]>>,
}

/// First bytes of a state file; the number is that of the format. A hash of what follows comes next, so that whatever
/// is read back is what was written.
const MAGIC: &[u8] = b"reclaim-state-20\n";

const NOT_A_STATE: &str = "not a drive state saved by this version";
const DAMAGED: &str = "the saved state is damaged";
const BESIDE_A_CACHE: &str =
    "a drive with ftl.slc_cache cannot take over what other policies have left; let it warm up itself";
const BESIDE_SUPERBLOCKS: &str =
    "a drive with ftl.superblock cannot take over what other policies have left; let it warm up itself";

/// Hashes what it writes, and keeps why it could not: the encoder only says that it could not.
struct Hashed {
    file: BufWriter<File>,
    hasher: blake3::Hasher,
    fault: Option<Error>,
}

impl Hashed {
    fn note<T>(&mut self, done: std::io::Result<T>) -> std::io::Result<T> {
        done.map_err(|error| {
            let told = Error::from(error.kind());
            // Asked again, it would go on where it stopped.
            if error.kind() != ErrorKind::Interrupted {
                self.fault.get_or_insert(error);
            }
            told
        })
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let done = self.file.write(bytes);
        let written = self.note(done)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let done = self.file.flush();
        self.note(done)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("settings are plain tables")
}

/// The settings that decide what can lie in the flash of a drive.
fn of_flash(config: &Config) -> Settings {
    let geometry = Geometry::new(config).ok();
    // Of a cache it depends on the levels how much it holds.
    let of_cache = geometry.as_ref().and_then(|geometry| geometry.cache).map(|cache| cache.pages_per_block);
    let cached = (&config.ftl.slc_cache, of_cache);
    let translation = geometry.and_then(|geometry| geometry.translation).map(|pages| pages.entries);
    let settings = [
        ("seed", json(&config.seed)),
        ("geometry", json(&config.geometry)),
        ("flash.program_unit", json(&config.flash.program_unit)),
        ("flash.initial_erases", json(&config.flash.initial_erases)),
        ("redundancy", json(&config.redundancy)),
        ("ftl.slc_cache, or flash.cell beside it,", json(&cached)),
        ("ftl.mapping_cache", json(&translation)),
        ("ftl.superblock", json(&config.ftl.superblock())),
        ("flash.endurance.failures", json(&config.flash.endurance.failures)),
    ];
    settings.map(|(what, text)| (what.to_owned(), text)).into()
}

/// The settings that decide what state the policies can be in, and what else that depends on.
fn of_policies(config: &Config, policies: &Policies) -> Settings {
    let gc = &config.gc;
    let settings = [
        ("ftl", json(&config.ftl)),
        ("gc.trigger", json(&gc.trigger)),
        ("gc.victim", json(&gc.victim)),
        ("page levels or their times, by which gc.victim weighs blocks,", policies.victim.depends_on()),
        ("gc.relocation", json(&gc.relocation)),
        ("gc.concurrency", json(&gc.concurrency)),
    ];
    settings.map(|(what, text)| (what.to_owned(), text)).into()
}

/// What must be the same for a state of one drive to be that of another, as text.
pub(crate) fn fingerprint_text(config: &Config, geometry: &Geometry) -> String {
    let format = String::from_utf8_lossy(MAGIC);
    let policies = Policies::new(config, geometry);
    format.into_owned() + &json(&(of_flash(config), of_policies(config, &policies)))
}

/// Settings and note of a saved state are far shorter.
const HEAD_BYTES: u64 = 1 << 18;

/// What was noted with a saved state, without reading all of it.
///
/// # Errors
/// When the file cannot be read or is no saved state.
pub fn noted(path: &Path) -> Result<String, SnapshotError> {
    let failed = |reason: &str| SnapshotError::File { path: path.to_owned(), reason: reason.to_owned() };
    let mut head = Vec::new();
    let file = open_file(path, SAVED_STATE).map_err(|reason| failed(&reason))?;
    file.take(HEAD_BYTES).read_to_end(&mut head).map_err(|e| failed(&e.to_string()))?;
    let kept = head.strip_prefix(MAGIC).ok_or_else(|| failed(NOT_A_STATE))?;
    let state = kept.get(blake3::OUT_LEN..).ok_or_else(|| failed(DAMAGED))?;
    let found: Result<((Settings, Settings, String), _), _> = postcard::take_from_bytes(state);
    found.map(|((_flash, _deciding, warmup), _)| warmup).map_err(|_| failed(DAMAGED))
}

impl Ftl {
    /// The state of a drive at rest, without a note.
    fn state(&self, config: &Config) -> State<'_> {
        State {
            flash: of_flash(config),
            deciding: of_policies(config, &self.policies),
            warmup: String::new(),
            map: Cow::Borrowed(&self.map),
            blocks: Cow::Borrowed(&self.blocks),
            planes: Cow::Borrowed(&self.planes),
            points: Cow::Borrowed(&self.points),
            classes: self.separated.as_ref().map(|separated| Cow::Borrowed(&separated.classes)),
            cache: self.cache.as_deref().map(|cache| Cow::Borrowed(&*cache.planes)),
            outdated: Cow::Borrowed(
                self.translation.as_ref().map_or(&[], |translation| translation.outdated()),
            ),
            policies: self.policies.save(),
            programmed: self.tally.programmed(),
            streams: self.tally.streams().and_then(|streams| streams.saved()).map(Cow::Borrowed),
        }
    }

    /// Another drive in the same state, that of a drive at rest. If it is audited, every page has its first version.
    pub(crate) fn copy(&self, config: &Config, audited: bool) -> Self {
        let mut copy = Self::new(config, &self.geometry, audited);
        let state = self.state(config);
        let understood = copy.load_policies(&state);
        debug_assert!(understood, "a policy does not understand what it has saved");
        if let Some(versions) = &mut copy.versions {
            versions.adopt(&self.map, &self.blocks);
        }
        copy.take_up(Contents {
            map: self.map.clone(),
            blocks: self.blocks.clone(),
            planes: self.planes.clone(),
            points: self.points.clone(),
            programmed: self.tally.programmed(),
        });
        copy.adopt_parity();
        if let Some(streams) = self.tally.streams() {
            copy.tally.count_streams(streams.uncounted());
            copy.notes_writes = true;
        }
        copy
    }

    /// Writes the state of a drive at rest to a file. It is not compressed: where pages are is as good as random, and a
    /// state is read far more often than it is written.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, config: &Config, warmup: &str, path: &Path) -> Result<(), SnapshotError> {
        let state = State { warmup: warmup.to_owned(), ..self.state(config) };
        let failed = |reason: String| SnapshotError::File { path: path.to_owned(), reason };
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            file.write_all(MAGIC)?;
            // The hash is known at the end: until then the file is a damaged one.
            file.write_all(&[0; blake3::OUT_LEN])?;
            let mut hashed = Hashed { file, hasher: blake3::Hasher::new(), fault: None };
            let encoded = postcard::to_io(&state, &mut hashed).map(drop).map_err(Error::other);
            let Hashed { mut file, hasher, fault } = hashed;
            fault.map_or(encoded, Err)?;
            file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
            file.write_all(hasher.finalize().as_bytes())?;
            file.flush()
        };
        write().map_err(|e: Error| {
            let said = e.to_string();
            // The number of the error says nothing more.
            let reason = said.split(" (os error").next().unwrap_or(&said);
            failed(format!("the state cannot be written: {reason}"))
        })
    }

    /// Takes up a saved state: all of it where its policies were the same, else what lies in the flash. Returns what
    /// was noted with it, and whether it was all.
    ///
    /// # Errors
    /// When the file cannot be read, is no saved state, or belongs to a drive with other flash.
    pub fn load(&mut self, config: &Config, path: &Path) -> Result<(String, bool), SnapshotError> {
        let failed = |reason: &str| SnapshotError::File { path: path.to_owned(), reason: reason.to_owned() };
        let mut bytes = Vec::new();
        let mut file = open_file(path, SAVED_STATE).map_err(|reason| failed(&reason))?;
        file.read_to_end(&mut bytes).map_err(|e| failed(&e.to_string()))?;
        let kept = bytes.strip_prefix(MAGIC).ok_or_else(|| failed(NOT_A_STATE))?;
        let damaged = || failed(DAMAGED);
        let (hash, bytes) = kept.split_at_checked(blake3::OUT_LEN).ok_or_else(damaged)?;
        if blake3::hash(bytes).as_bytes() != hash {
            return Err(damaged());
        }
        let state: State = postcard::from_bytes(bytes).map_err(|_| damaged())?;
        let ours = of_flash(config);
        if let Some((what, _)) = ours.iter().zip(&state.flash).find(|(a, b)| a.1 != b.1).map(|(a, _)| a) {
            return Err(SnapshotError::Other { path: path.to_owned(), what: what.clone() });
        }
        let fits = state.map.fits(self.map.logical_pages(), self.geometry.pages())
            && state.blocks.len() == self.blocks.len()
            && state.planes.len() == self.planes.len()
            && state.points.is_whole(state.planes.len());
        let whole = state.deciding == of_policies(config, &self.policies);
        let streams_fit =
            self.tally.streams_mut().is_none_or(|streams| streams.restore(state.streams.as_deref()));
        let taken = fits && streams_fit && (!whole || self.load_policies(&state));
        if !taken {
            return Err(damaged());
        }
        let contents = Contents {
            map: state.map.into_owned(),
            blocks: state.blocks.into_owned(),
            planes: state.planes.into_owned(),
            points: state.points.into_owned(),
            programmed: state.programmed,
        };
        if let Some(versions) = &mut self.versions {
            versions.adopt(&contents.map, &contents.blocks);
        }
        if whole {
            self.take_up(contents);
        } else {
            if self.cache.is_some() {
                return Err(failed(BESIDE_A_CACHE));
            }
            if self.superblocks.is_some() {
                return Err(failed(BESIDE_SUPERBLOCKS));
            }
            self.hold(config, contents).map_err(|error| failed(&error.reason))?;
        }
        self.adopt_parity();
        Ok((state.warmup, whole))
    }

    /// The state of policies. Tells whether all of it was understood.
    fn load_policies(&mut self, state: &State<'_>) -> bool {
        if let Some(superblocks) = self.superblocks.as_deref_mut() {
            superblocks.restore(&self.geometry, &state.blocks);
        }
        state.points.fits(&self.points)
            && self.load_classes(state)
            && self.load_cache(state)
            && self.load_outdated(state)
            && self.policies.load(&state.policies)
    }

    /// The classes of pages. Tells whether they fit.
    fn load_classes(&mut self, state: &State<'_>) -> bool {
        let (Some(separated), Some(classes)) = (self.separated.as_deref_mut(), &state.classes) else {
            return self.separated.is_none() && state.classes.is_none();
        };
        let fits = classes.fits(&separated.classes);
        separated.classes = classes.as_ref().clone();
        fits
    }

    /// The translation pages that are to be brought up to date. Tells whether they fit.
    fn load_outdated(&mut self, state: &State<'_>) -> bool {
        match &mut self.translation {
            Some(translation) => translation.restore_outdated(&state.outdated),
            None => state.outdated.is_empty(),
        }
    }

    /// The blocks of the SLC cache. Tells whether they fit.
    fn load_cache(&mut self, state: &State<'_>) -> bool {
        let (Some(cache), Some(planes)) = (self.cache.as_deref_mut(), &state.cache) else {
            return self.cache.is_none() && state.cache.is_none();
        };
        let fits = planes.len() == cache.planes.len();
        cache.planes = planes.as_ref().into();
        fits
    }

    /// The contents of a drive with the same policies, whose state is here already.
    fn take_up(&mut self, contents: Contents) {
        self.map = contents.map;
        self.placed_elsewhere = true;
        self.map.recount_valid_pages();
        self.blocks = contents.blocks;
        self.planes = contents.planes;
        self.points = contents.points;
        self.urgent_planes = self.planes.iter().map(|plane| u32::from(plane.urgent)).sum();
        self.free_blocks = self.planes.iter().map(|plane| plane.free.len()).sum();
        let has_room = self.recount_failed().is_ok();
        debug_assert!(has_room, "the same policies could do without what has failed");
        self.count_programmed(contents.programmed);
    }
}
