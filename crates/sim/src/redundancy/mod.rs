//! Seam `redundancy`: what else must be read and written when the host writes, so that a lost page can be rebuilt.
//!
//! Which pages belong together is part of the geometry ([`crate::flash::Stripes`]): a policy that makes stripes has a
//! parameter `stripe_chips`. It decides what is read before a stripe is written; the engine reads, writes and commits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building;
use crate::ids::ChipId;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::scope;
use crate::time::Nanos;

/// What a write of some pages of a stripe finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StripeUpdate {
    /// Number of pages of data in the stripe.
    pub data_pages: u32,
    /// Number of pages written.
    pub written: u32,
    /// Of those, number of pages in flash now.
    pub written_there: u32,
    /// Of those in turn, number of pages of which only a part is written.
    pub partly_written_there: u32,
    /// Whether every page written is written wholly.
    pub whole_pages: bool,
    /// Number of pages of data in flash that are not written.
    pub others_there: u32,
    /// Whether the parity is in flash.
    pub parity_there: bool,
}

/// What is read before a stripe is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadBefore {
    /// Nothing: all of the stripe is new.
    Nothing,
    /// What is replaced, and the parity: the parity changes by the difference.
    Replaced,
    /// What is not replaced: the parity is made anew.
    Others,
}

/// What happens to stripes, for a policy's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StripeEvent {
    /// A page is read for a stripe.
    PageRead,
    /// A write or a read waits until the stripe is free.
    Waits,
    /// A write waits until planes have room.
    WaitsForRoom,
    /// A page is rebuilt from the others for a read of the host, because its chip cannot be read.
    DegradedRead,
    /// A page is rebuilt from the others for a read of the host, because its chip is under collection.
    ReadAround,
    /// Pages of a stripe are trimmed, and its parity is written anew.
    TrimUpdate,
}

/// Decides what accompanies host writes. The defaults are those of a policy that makes no stripes.
pub trait Redundancy: Send {
    /// What is read before some pages of a stripe are written; counted when asked.
    fn read_before(&mut self, _update: &StripeUpdate) -> ReadBefore {
        ReadBefore::Nothing
    }

    /// Something has happened that the policy may count.
    fn note(&mut self, _event: StripeEvent) {}

    /// A row of a superblock is complete, with so many begun and not complete before that.
    fn note_row(&mut self, _open: u32) {}

    /// The chip whose pages host reads cannot use.
    fn unreadable_chip(&self) -> Option<ChipId> {
        None
    }

    /// The chip that was lost before the run, and is rebuilt: asked once.
    fn rebuild(&self) -> Option<Rebuild> {
        None
    }

    /// Something has happened to the rebuild that the policy may count.
    fn note_rebuild(&mut self, _event: RebuildEvent) {}

    /// Whether host reads of a chip under collection are made up from the other pages of the stripe: asked once.
    fn reads_around(&self) -> bool {
        false
    }

    /// How long it takes to make a page of the others of its stripe once they have been read: asked once.
    fn sum_time(&self) -> Nanos {
        Nanos(0)
    }

    /// Whether parity goes to open blocks of its own.
    fn has_own_blocks(&self) -> bool {
        false
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Redundancy>;

members! {
    /// Members of the seam.
    "redundancy", Build, scope(
        &["none", "{ kind = \"raid5\", stripe_chips = 8 }", "superblock-parity"],
        "A drive may keep parity over its chips."
    );
    none,
    raid5,
    superblock_parity,
}

/// Who goes first while a chip is rebuilt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RebuildOrder {
    /// The host: a stripe is rebuilt only while none of its chips has anything to do.
    #[default]
    HostFirst,
    /// The rebuild: so many stripes at once are always being rebuilt.
    RebuildFirst,
}

/// A chip that was lost before the run, in the place of which there is an erased one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuild {
    /// Number of the chip, channel by channel.
    pub chip: ChipId,
    /// Who goes first.
    pub order: RebuildOrder,
    /// Number of stripes that are rebuilt at once, at most.
    pub stripes: u32,
}

/// What happens while a chip is rebuilt, for a policy's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebuildEvent {
    /// A lost page is in flash again.
    PageRebuilt,
    /// No page is lost any more, so many ns after the run began.
    Ended(u64),
    /// A read of the host was answered meanwhile, and took so many ns.
    ReadMeanwhile(u64),
    /// A write was, likewise.
    WriteMeanwhile(u64),
}
