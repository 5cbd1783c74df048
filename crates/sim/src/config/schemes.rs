//! Schemes: named combinations of policies, which override a device's settings.

use super::presets::Listed;
use crate::gc::victim;
use crate::settings::ConfigError;

/// Named combinations beyond "the drive with that victim policy".
const SCHEMES: &[(&str, &str, &str)] = &[
    (
        "copyback",
        "valid pages move inside their plane, without using the channel",
        "gc.relocation.kind = \"copyback\"",
    ),
    (
        "copyback-odd-even",
        "copyback from odd program units to odd ones and from even to even (CoupledCB's baseline)",
        "gc.relocation.kind = \"copyback-odd-even\"",
    ),
    (
        "copyback-tp",
        "the same with a page in each program (CoupledCB's traditional programming)",
        "gc.relocation = { kind = \"copyback-odd-even\" }\nflash.program_unit = \"page\"",
    ),
    (
        "copyback-fsp",
        "the same with a word line in each program (CoupledCB's baseline: full-sequence programming)",
        "gc.relocation = { kind = \"copyback-odd-even\" }\nflash.program_unit = \"word-line\"",
    ),
    (
        "ospada",
        "the same, and pages with neighbouring numbers never share a program (CoupledCB's OSPADA)",
        "gc.relocation = { kind = \"copyback-odd-even\" }\nflash.program_unit = \"word-line\"\n\
         ftl.allocation = { kind = \"ospada\" }",
    ),
    (
        "pcgc",
        "copyback with a word line in each program, pages of a victim by parity (CoupledCB's PcGC)",
        "gc.relocation = { kind = \"pcgc\" }\nflash.program_unit = \"word-line\"",
    ),
    (
        "coupledcb",
        "the same, and pages of coupled blocks fill what would be wasted (CoupledCB)",
        "gc.relocation = { kind = \"coupled\" }\nflash.program_unit = \"word-line\"",
    ),
    (
        "buffered",
        "victims are erased before their pages are written back, to idle planes if there are (GC bypass)",
        "gc.relocation = { kind = \"buffered\", destination = \"free\" }\n\
         ftl.allocation = { kind = \"dynamic\" }",
    ),
    (
        "adaptive",
        "idle channels collect blocks that hold enough invalid pages, the more channels the fuller the flash \
         (channel-aware GC)",
        "gc.trigger = { kind = \"invalid-ratio\" }\ngc.concurrency = { kind = \"adaptive\", idle = true }",
    ),
    (
        "vanilla",
        "fewest valid pages, the lowest number among equals (the baseline of word-line-aware GC)",
        "gc.victim = { kind = \"greedy\", ties = \"lowest-number\" }",
    ),
    (
        "wla",
        "least array time to relocate, the lowest number among equals (word-line-aware GC of its paper)",
        "gc.victim = { kind = \"word-line\", ties = \"lowest-number\" }",
    ),
    (
        "conv-0-allch",
        "idle channels collect blocks that hold enough invalid pages, all of them from the start \
         (channel-aware GC)",
        "gc.trigger = { kind = \"invalid-ratio\" }\n\
         gc.concurrency = { kind = \"channels\", share = \"100%\", idle = true }",
    ),
    (
        "conv-0.7-allch",
        "the same once 70 % of the pages are in use (channel-aware GC)",
        "gc.trigger = { kind = \"invalid-ratio\" }\n\
         gc.concurrency = { kind = \"channels\", share = \"100%\", gate = \"70%\", idle = true }",
    ),
    (
        "conv-0.7-halfch",
        "the same, and half of the channels at once at most (channel-aware GC)",
        "gc.trigger = { kind = \"invalid-ratio\" }\n\
         gc.concurrency = { kind = \"channels\", share = \"50%\", gate = \"70%\", idle = true }",
    ),
    (
        "serialized-channel",
        "one whole operation at a time on a channel, array time included",
        "interconnect.kind = \"serialized-channel\"",
    ),
    ("ideal-channel", "no contention on channels", "interconnect.kind = \"ideal\""),
    (
        "mesh",
        "a mesh of routers instead of channels: circuits from a controller at each row (GC bypass)",
        "interconnect.kind = \"mesh\"",
    ),
    ("baseline", "a shared bus for each channel (the baseline of GC bypass)", "interconnect.kind = \"bus\""),
    ("pssd", "a bus of packets for each channel, twice as fast (pSSD)", "interconnect.kind = \"pssd\""),
    (
        "pnssd",
        "two buses to each chip: that of its channel, and one across the channels (pnSSD)",
        "interconnect.kind = \"pnssd\"",
    ),
    (
        "nossd",
        "a mesh of routers with packet buffers; packets travel along rows and columns (NoSSD)",
        "interconnect.kind = \"nossd\"",
    ),
    (
        "venice",
        "a mesh of router chips; scouts reserve circuits around whatever is taken (Venice)",
        "interconnect.kind = \"venice\"",
    ),
    (
        "smartnetssd",
        "a mesh of router chips; transfers are split over circuits beside each other (SmartNetSSD)",
        "interconnect.kind = \"smartnetssd\"",
    ),
    (
        "gc-bypass",
        "Venice with a controller for collection; victims are erased before their pages are written back, \
         over circuits that give way (GC bypass)",
        "interconnect.kind = \"venice-priority\"\n\
         gc.relocation = { kind = \"buffered\", destination = \"chip\", host_writes = \"absorb\" }\n\
         ftl.allocation = { kind = \"dynamic\" }",
    ),
    (
        "raid5",
        "RAID-5 over chips, eight to a stripe (the baseline of deferred GC)",
        "redundancy = { kind = \"raid5\", stripe_chips = 8 }\n\
         ftl.allocation = { kind = \"striping\", by = \"lpn\" }",
    ),
    (
        "dgc",
        "the same, and writes leave chips that are about to be collected; those collect when idle \
         (deferred GC)",
        "redundancy = { kind = \"raid5\", stripe_chips = 8 }\n\
         ftl.allocation = { kind = \"striping\", by = \"lpn\" }\n\
         gc.deferral = { kind = \"dgc\" }",
    ),
    (
        "reads-first",
        "host reads, host writes, then collection, at the die and in the lines of channels; collection first \
         where urgent",
        "scheduler = { kind = \"by-class\", order = [\"host-read\", \"host-write\", \"erase\", \"gc-write\", \
         \"gc-read\"] }\nchannel.order = \"by-class\"",
    ),
    (
        "writes-first",
        "host writes, host reads, then collection, at the die and in the lines of channels; collection first \
         where urgent",
        "scheduler = { kind = \"by-class\", order = [\"host-write\", \"host-read\", \"erase\", \"gc-write\", \
         \"gc-read\"] }\nchannel.order = \"by-class\"",
    ),
    (
        "collection-first",
        "collection, host reads, then host writes, at the die and in the lines of channels, urgent or not",
        "scheduler = { kind = \"by-class\", order = [\"erase\", \"gc-write\", \"gc-read\", \"host-read\", \
         \"host-write\"] }\nchannel.order = \"by-class\"",
    ),
    (
        "first-come",
        "first come, first served, at the die and among data in the lines of channels, urgent or not",
        "scheduler = { kind = \"by-class\", order = [[\"host-read\", \"host-write\", \"gc-read\", \
         \"gc-write\", \"erase\"]], urgent_order = \"none\" }\nchannel.order = \"by-class\"",
    ),
    (
        "suspend",
        "host reads suspend programs and erases",
        "flash.suspend.program = true\nflash.suspend.erase = true",
    ),
    (
        "wear-levelling",
        "dynamic and static wear levelling",
        "ftl.wear.dynamic = true\nftl.wear.static_threshold = 20",
    ),
];

/// All schemes: each victim policy that needs no parameter by its name, and the combinations.
pub fn schemes() -> Vec<Listed> {
    let of_victim =
        |name: &str, about: &str| Listed { name: name.to_owned(), about: format!("victim: {about}") };
    victim::MEMBERS
        .all
        .iter()
        .filter(|member| member.stands_alone())
        .map(|member| of_victim(member.name, member.about))
        .chain(
            SCHEMES.iter().map(|(n, about, _)| Listed { name: (*n).to_owned(), about: (*about).to_owned() }),
        )
        .collect()
}

/// The settings of a scheme, as TOML.
///
/// # Errors
/// When there is none of that name: lists them and suggests the closest.
pub fn scheme_toml(name: &str) -> Result<String, ConfigError> {
    if let Some((_, _, toml)) = SCHEMES.iter().find(|(n, _, _)| *n == name) {
        return Ok((*toml).to_owned());
    }
    if victim::MEMBERS.all.iter().any(|m| m.name == name && m.stands_alone()) {
        return Ok(format!("gc.victim.kind = \"{name}\""));
    }
    let listed = schemes();
    let names: Vec<_> = listed.iter().map(|s| s.name.as_str()).collect();
    Err(ConfigError::choice("scheme", name, &names))
}
