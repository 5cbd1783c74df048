//! The words of a history: slots such as `r9 4*7 -4*2`, laws such as `12x3y4=`.

use super::law::{Extent, Place, Request, SKIPS};
use super::{Kind, UNIT};
use crate::generate::fault::Fault;
use crate::generate::spec::HistorySpec;

/// Most zones: their numbers are kept in 16 bits.
const MOST_ZONES: usize = 4096;
/// Most units of all zones together: their numbers are kept in 32 bits.
const MOST_UNITS: u64 = 1 << 31;

/// One slot of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::generate) struct Slot {
    pub(super) reads: u64,
    pub(super) flushes: u64,
    /// Requests of a kind in a zone.
    pub(super) cells: Vec<(Kind, u16, u64)>,
}

/// A history whose words are understood and agree with one another.
#[derive(Debug, Clone)]
pub(in crate::generate) struct Parsed {
    pub(super) slots: Vec<Slot>,
    /// For each zone, the laws of writes and of trims: kinds of requests and how many of each.
    pub(super) laws: Vec<[Vec<(Request, u64)>; 2]>,
    /// Bytes, and bytes behind a multiple of the unit.
    pub(super) shapes: Vec<(u64, u64)>,
}

/// Reads, writes, trims and flushes of all slots.
pub(in crate::generate) fn counts(spec: &HistorySpec) -> Result<[u64; 4], Fault> {
    let mut sums = [0; 4];
    for slot in slots(spec)? {
        sums[0] += slot.reads;
        sums[3] += slot.flushes;
        for (kind, _, count) in slot.cells {
            sums[1 + kind as usize] += count;
        }
    }
    Ok(sums)
}

/// Understand every word, and see that zones have as many requests in their laws as in the slots.
pub(in crate::generate) fn parse(spec: &HistorySpec) -> Result<Parsed, Fault> {
    for (key, value, least) in [
        ("stay", spec.stay, 0.0),
        ("in_turn", spec.in_turn, 0.0),
        ("in_order", spec.in_order, 0.0),
        ("adjacent", spec.adjacent, 0.0),
        ("favour", spec.favour, -1.0),
    ] {
        if !(least..=1.0).contains(&value) {
            return fail(key, format!("must be from {least} to 1, not {value}"));
        }
    }
    if !(0.5..=8.0).contains(&spec.steps) {
        return fail("steps", format!("must be from 0.5 to 8, not {}", spec.steps));
    }
    let shapes: Vec<(u64, u64)> = spec.shapes.iter().map(|(size, behind)| (size.0, behind.0)).collect();
    for (index, (bytes, behind)) in shapes.iter().enumerate() {
        if *bytes == 0 || *behind >= UNIT {
            let reason = "must be a size of at least 1B, and less than 4KiB behind a multiple of 4KiB";
            return fail(&format!("shapes[{index}]"), reason.to_owned());
        }
    }
    let units =
        spec.zones.iter().try_fold(0_u64, |sum, zone| sum.checked_add(zone.units)?.checked_add(zone.dead));
    if spec.zones.is_empty() || spec.zones.len() > MOST_ZONES {
        return fail("zones", format!("must be from 1 to {MOST_ZONES} zones, not {}", spec.zones.len()));
    }
    if units.is_none_or(|units| units > MOST_UNITS) {
        return fail("zones", format!("have more than {MOST_UNITS} units together"));
    }
    let mut laws = Vec::new();
    let mut left = Vec::new();
    for (index, zone) in spec.zones.iter().enumerate() {
        let mut both = [Vec::new(), Vec::new()];
        for (kind, name, text, again) in [
            (Kind::Write, "write", &zone.write, zone.write_again),
            (Kind::Trim, "trim", &zone.trim, zone.trim_again),
        ] {
            let key = format!("zones[{index}].{name}");
            if !(0.0..=1.0).contains(&again) {
                return fail(&format!("{key}_again"), format!("must be from 0 to 1, not {again}"));
            }
            both[kind as usize] = law(text, shapes.len(), kind).or_else(|word| fail(&key, word))?;
        }
        if zone.units == 0 {
            return fail(&format!("zones[{index}].units"), "must be at least 1".to_owned());
        }
        left.push(
            [0, 1].map(|kind: usize| both[kind].iter().map(|(_, count)| i128::from(*count)).sum::<i128>()),
        );
        laws.push(both);
    }
    let slots = slots(spec)?;
    for (kind, zone, count) in slots.iter().flat_map(|slot| &slot.cells) {
        left[usize::from(*zone)][*kind as usize] -= i128::from(*count);
    }
    for (index, both) in left.iter().enumerate() {
        for (name, off) in [("write", both[0]), ("trim", both[1])] {
            if off != 0 {
                let reason = format!("has {off} requests more than the slots have {name}s for this zone");
                return fail(&format!("zones[{index}].{name}"), reason);
            }
        }
    }
    Ok(Parsed { slots, laws, shapes })
}

fn fail<T>(key: &str, reason: String) -> Result<T, Fault> {
    Err((format!("history.{key}"), reason))
}

fn slots(spec: &HistorySpec) -> Result<Vec<Slot>, Fault> {
    let mut found = Vec::with_capacity(spec.slots.len());
    for (index, text) in spec.slots.iter().enumerate() {
        let mut slot = Slot::default();
        for word in text.split_whitespace() {
            if slot_word(word, spec.zones.len(), &mut slot).is_none() {
                let zones = spec.zones.len();
                return fail(
                    &format!("slots[{index}]"),
                    format!(
                        "\"{word}\" is not understood; expected reads as r9, flushes as f2, or requests in a \
                         zone from 0 to {} as 4*7 (trims as -4*2)",
                        zones.saturating_sub(1)
                    ),
                );
            }
        }
        found.push(slot);
    }
    Ok(found)
}

fn slot_word(word: &str, zones: usize, slot: &mut Slot) -> Option<()> {
    if let Some(count) = word.strip_prefix('r') {
        slot.reads = slot.reads.checked_add(count.parse::<u32>().ok()?.into())?;
    } else if let Some(count) = word.strip_prefix('f') {
        slot.flushes = slot.flushes.checked_add(count.parse::<u32>().ok()?.into())?;
    } else {
        let (kind, rest) = word.strip_prefix('-').map_or((Kind::Write, word), |rest| (Kind::Trim, rest));
        let (zone, count) = rest.split_once('*').unwrap_or((rest, "1"));
        let (zone, count): (u16, u32) = (zone.parse().ok()?, count.parse().ok()?);
        (usize::from(zone) < zones && count > 0).then_some(())?;
        slot.cells.push((kind, zone, count.into()));
    }
    Some(())
}

fn law(text: &str, shapes: usize, kind: Kind) -> Result<Vec<(Request, u64)>, String> {
    text.split_whitespace()
        .map(|word| {
            law_word(word, shapes, kind).ok_or_else(|| {
                format!(
                    "\"{word}\" is not understood; expected a count, x, a shape from 0 to {}, and a place: \
                     s, w, g, r, b0, e0, n0, f0, y0, o0, t0 (for trims), with - or = where an extent begins",
                    shapes.saturating_sub(1)
                )
            })
        })
        .collect()
}

fn law_word(word: &str, shapes: usize, kind: Kind) -> Option<(Request, u64)> {
    let (count, rest) = word.split_once('x')?;
    let count: u32 = count.parse().ok().filter(|count| *count > 0)?;
    let letter = rest.find(|each: char| each.is_ascii_lowercase())?;
    let shape: u16 = rest[..letter].parse().ok().filter(|shape| usize::from(*shape) < shapes)?;
    let (extent, number) = match rest[letter + 1..].strip_suffix(['-', '=']) {
        Some(number) if rest.ends_with('=') => (Extent::Same, number),
        Some(number) => (Extent::Start, number),
        None => (Extent::Inside, &rest[letter + 1..]),
    };
    let units = || number.parse::<u32>().ok();
    let skip = || number.parse::<i8>().ok().filter(|skip| SKIPS.contains(skip));
    let bin = || number.parse::<u8>().ok().filter(|bin| *bin < 128);
    let place = match &rest[letter..=letter] {
        "s" if number.is_empty() => Place::Stream,
        "w" if number.is_empty() => Place::Sweep,
        "g" if number.is_empty() => Place::Growth,
        "r" if number.is_empty() => Place::Reuse,
        "b" => Place::Beyond(skip()?),
        "e" => Place::Empty(skip()?),
        "n" => Place::New(units()?),
        "f" => Place::Freed(units()?),
        "y" => Place::Young(bin()?),
        "o" => Place::Old(bin()?),
        "t" if kind == Kind::Trim => Place::Tail(units()?),
        _ => return None,
    };
    Some((Request { place, shape, extent }, count.into()))
}

/// The words of a law.
pub(super) fn law_text(law: &[(Request, u64)]) -> String {
    let words = law.iter().map(|(Request { place, shape, extent }, count)| {
        let place = match place {
            Place::Stream => "s".to_owned(),
            Place::Sweep => "w".to_owned(),
            Place::Growth => "g".to_owned(),
            Place::Reuse => "r".to_owned(),
            Place::Beyond(skip) => format!("b{skip}"),
            Place::Empty(skip) => format!("e{skip}"),
            Place::New(units) => format!("n{units}"),
            Place::Freed(units) => format!("f{units}"),
            Place::Young(bin) => format!("y{bin}"),
            Place::Old(bin) => format!("o{bin}"),
            Place::Tail(units) => format!("t{units}"),
        };
        let extent = match extent {
            Extent::Inside => "",
            Extent::Start => "-",
            Extent::Same => "=",
        };
        format!("{count}x{shape}{place}{extent}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The words of a slot.
pub(super) fn slot_text(slot: &Slot) -> String {
    let mut words = Vec::new();
    for (letter, count) in [("r", slot.reads), ("f", slot.flushes)] {
        if count > 0 {
            words.push(format!("{letter}{count}"));
        }
    }
    for (kind, zone, count) in &slot.cells {
        let sign = if *kind == Kind::Trim { "-" } else { "" };
        words.push(if *count == 1 { format!("{sign}{zone}") } else { format!("{sign}{zone}*{count}") });
    }
    words.join(" ")
}
