//! The channels between controller and chips.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{SWITCH, reading, scope, unprinted};
use super::{Size, Time, TransferRate};
use crate::time::Nanos;

/// A channel between controller and chips.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelConfig {
    /// Data transfers per second; each moves `width_bits` bits.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Several papers print the times of the flash and no rate of the channel."
    )))]
    pub rate: TransferRate,
    /// Width of the data bus in bits: how many a data transfer moves at once.
    #[serde(default = "defaults::width")]
    #[schemars(extend("x-alternatives" = scope(&["8", "16"], "Flash comes with buses of either width.")))]
    pub width_bits: u32,
    /// One command or address cycle.
    #[serde(default = "defaults::command_cycle")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "25ns"],
        "Most simulators leave commands out, or take the cycle of the asynchronous bus."
    )))]
    pub command_cycle: Time,
    /// Command and address cycles of each operation.
    #[serde(default)]
    pub commands: CommandsConfig,
    /// Data moves in multiples of this; a page at most. Absent: always whole pages, as ECC over the page needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = reading(
        &["512B", "4KiB"],
        "A part of a page can be transferred alone, unless ECC needs the whole."
    )))]
    pub granularity: Option<Size>,
    /// Whether the program of a partly written page transfers only the new bytes (in multiples of `granularity`), as in
    /// MQSim, and not the whole page.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "MQSim transfers only what a partial write brings; a drive transfers the whole page."
    )))]
    pub partial_programs: bool,
    /// Time that each host page, read or written, takes to pass the controller's buffer memory. Absent: no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "12us"],
        "One paper counts the passage through SRAM; the others do not mention it."
    )))]
    pub host_buffer: Option<Time>,
    /// Where a page is while it passes that memory. Absent: on the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = reading(
        &["channel", "controller"],
        "Whether the channel is taken while a page passes the buffer is not printed."
    )))]
    pub host_buffer_path: Option<BufferPath>,
    /// Which waiting die gets the channel next.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["commands-first", "data-first"],
        "Simulators serve those who wait for a channel in different orders."
    )))]
    pub order: ChannelArbitration,
}

/// Where a page of the host is while it passes the buffer memory of the controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BufferPath {
    /// On the channel, which carries the page so much longer.
    #[default]
    Channel,
    /// In the controller, before the channel is asked for (a write) or after it was released (a read). Any number of
    /// pages pass at once.
    Controller,
}

/// Who goes first among those who wait for a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelArbitration {
    /// Commands without data, then data of host reads, data of relocated pages, programs: keeps arrays at work.
    #[default]
    CommandsFirst,
    /// Data of host reads, data of relocated pages, then commands and programs as they came: MQSim's order.
    DataFirst,
    /// Commands without data, then data of host reads, data of relocated pages, programs for the host and programs of
    /// relocated pages in the order of their classes at the die: needs `scheduler = by-class`.
    ByClass,
}

/// Command and address cycles on the channel, per operation and plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandsConfig {
    /// Page read: 00h, five address cycles, 30h.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0", "×2"],
        "Simulators leave the cycles of commands out, or count further ones."
    )))]
    pub read_cycles: u32,
    /// Page program: 80h, five address cycles, 10h.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0", "×2"],
        "Simulators leave the cycles of commands out, or count further ones."
    )))]
    pub program_cycles: u32,
    /// Block erase: 60h, three address cycles, D0h.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0", "×2"],
        "Simulators leave the cycles of commands out, or count further ones."
    )))]
    pub erase_cycles: u32,
    /// Fixed time on the channel beside the cycles of a read (set-up and ready/busy times).
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "300ns"],
        "Set-up and ready/busy times stand in data sheets and in no paper."
    )))]
    pub read_overhead: Time,
    /// The same for a program.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "300ns"],
        "Set-up and ready/busy times stand in data sheets and in no paper."
    )))]
    pub program_overhead: Time,
    /// The same for an erase.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "300ns"],
        "Set-up and ready/busy times stand in data sheets and in no paper."
    )))]
    pub erase_overhead: Time,
    /// What each further plane of a multi-plane read adds on the channel. Default: as much as the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "200ns"],
        "What a further plane adds to a command is in data sheets only."
    )))]
    pub read_further_plane: Option<Time>,
    /// The same for a program, beside its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "200ns"],
        "What a further plane adds to a command is in data sheets only."
    )))]
    pub program_further_plane: Option<Time>,
    /// The same for an erase.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "200ns"],
        "What a further plane adds to a command is in data sheets only."
    )))]
    pub erase_further_plane: Option<Time>,
}

impl Default for CommandsConfig {
    fn default() -> Self {
        let none = Time(Nanos(0));
        Self {
            read_cycles: 7,
            program_cycles: 7,
            erase_cycles: 5,
            read_overhead: none,
            program_overhead: none,
            erase_overhead: none,
            read_further_plane: None,
            program_further_plane: None,
            erase_further_plane: None,
        }
    }
}

mod defaults {
    use super::Time;
    use crate::time::Nanos;

    pub fn width() -> u32 {
        8
    }
    pub fn command_cycle() -> Time {
        Time(Nanos(25))
    }
}
