//! The data-integrity and invariant checker.

use crate::ftl::Ftl;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, Place, PlaneCounters, StreamCounters};

/// Checks everything that must hold between two events; with `at_rest`, also what must hold when nothing is under
/// way. Returns the number of facts checked.
///
/// # Errors
/// The first contradiction found.
pub fn check(ftl: &Ftl, at_rest: bool) -> Result<u64, String> {
    let parity = if at_rest { parity(ftl)? } else { 0 };
    Ok(mapping(ftl, at_rest)? + blocks(ftl, at_rest)? + space(ftl, at_rest)? + data(ftl)? + parity)
}

/// The mapping is a bijection between mapped logical pages and valid physical pages.
fn mapping(ftl: &Ftl, at_rest: bool) -> Result<u64, String> {
    let map = ftl.map();
    let (mut mapped, mut in_flash) = (0_u64, 0_u64);
    for lpn in (0..map.logical_pages()).map(Lpn) {
        let mut check = |copy: Ppn| {
            in_flash += 1;
            if !map.is_valid(copy) || map.owner(copy) != lpn {
                return Err(format!("{lpn:?} is mapped to {copy:?}, which holds {:?}", map.owner(copy)));
            }
            Ok(())
        };
        match map.place(lpn) {
            Place::Nowhere => continue,
            Place::Flash(ppn) => check(ppn)?,
            Place::Buffer(_) if at_rest => {
                return Err(format!("{lpn:?} is still in the buffer although the drive is at rest"));
            }
            Place::Buffer(slot) => map.kept_copies(slot).try_for_each(check)?,
            Place::Lost if at_rest => return Err(format!("{lpn:?} was lost, and never rebuilt")),
            Place::Lost => {}
        }
        mapped += 1;
    }
    if mapped != u64::from(map.mapped()) {
        return Err(format!("{mapped} logical pages are mapped, but {} are counted", map.mapped()));
    }
    if in_flash != map.valid_pages() {
        return Err(format!("{in_flash} pages are mapped to flash, but {} are valid", map.valid_pages()));
    }
    if map.valid_bits() != map.valid_pages() {
        return Err(format!("{} pages are valid, but {} are counted", map.valid_bits(), map.valid_pages()));
    }
    let allocated: u64 =
        (0..ftl.geometry().blocks()).map(|block| u64::from(ftl.blocks().allocated(BlockId(block)))).sum();
    let counters = ftl.counters();
    let counted = counters.host_programs + counters.pages_beyond_host();
    if ftl.pages_taken() != counted {
        return Err(format!("{} pages were taken, but {counted} are counted by cause", ftl.pages_taken()));
    }
    let of_planes = |count: fn(&PlaneCounters) -> u64| ftl.plane_counters().iter().map(count).sum::<u64>();
    for (what, by_plane, counted) in [
        ("jobs", of_planes(|plane| plane.jobs), counters.jobs),
        (
            "erases",
            of_planes(|plane| plane.erases),
            counters.erases + counters.wear_erases + counters.fold_erases,
        ),
        ("host programs", of_planes(|plane| plane.host_programs), counters.host_programs),
        ("parity programs", of_planes(|plane| plane.parity_programs), counters.parity_programs),
        (
            "moves",
            of_planes(|plane| plane.relocated_pages),
            counters.gc_programs + counters.wear_programs + counters.fold_programs,
        ),
    ] {
        if by_plane != counted {
            return Err(format!("{by_plane} {what} are counted by plane, but {counted} in all"));
        }
    }
    let of_streams = ftl.stream_counters();
    // Parity that is moved is of no stream, nor are translation pages.
    let all_is_of_streams = ftl.geometry().stripes.is_none() && ftl.geometry().translation.is_none();
    if !of_streams.is_empty() && all_is_of_streams {
        let sum = |count: fn(&StreamCounters) -> u64| of_streams.iter().map(|(one, _)| count(one)).sum();
        let by_stream: [u64; 3] =
            [sum(|one| one.host_bytes), sum(|one| one.host_programs), sum(|one| one.relocated_pages)];
        let moved = counters.gc_programs + counters.wear_programs + counters.fold_programs;
        let in_all = [counters.host_bytes, counters.host_programs, moved];
        if by_stream != in_all {
            return Err(format!(
                "host bytes, pages and moves are {by_stream:?} by stream, but {in_all:?} in all"
            ));
        }
    }
    if allocated != ftl.used_pages() {
        return Err(format!("{allocated} pages are written, but {} are counted", ftl.used_pages()));
    }
    if at_rest && map.slots_in_use() > 0 {
        return Err(format!("{} buffer slots leak", map.slots_in_use()));
    }
    Ok(u64::from(map.logical_pages()))
}

/// Valid counts match the valid bits, states match what is programmed.
fn blocks(ftl: &Ftl, at_rest: bool) -> Result<u64, String> {
    let geometry = ftl.geometry();
    for block in (0..geometry.blocks()).map(BlockId) {
        let table = ftl.blocks();
        let first = geometry.page(block, 0).0;
        let pages = (first..first + geometry.pages_per_block).map(Ppn);
        let valid = pages.clone().filter(|page| ftl.map().is_valid(*page)).count() as u32;
        if valid != table.valid(block) {
            return Err(format!(
                "{block:?} holds {valid} valid pages, but {} are counted",
                table.valid(block)
            ));
        }
        let allocated = table.allocated(block);
        if pages.skip(allocated as usize).any(|page| ftl.map().is_valid(page)) {
            return Err(format!("{block:?} holds valid data beyond its {allocated} allocated pages"));
        }
        weight(ftl, block)?;
        let full = allocated == geometry.pages_of(block);
        let fits = match table.state(block) {
            BlockState::Free | BlockState::Failed => allocated == 0 && table.in_flight(block) == 0,
            BlockState::Open => !full,
            BlockState::Filling => full && table.in_flight(block) > 0,
            BlockState::Sealed | BlockState::Cached | BlockState::Victim => {
                full && table.in_flight(block) == 0
            }
        };
        let fits = fits && in_its_place(ftl, block);
        if !fits || (at_rest && table.in_flight(block) > 0) {
            return Err(format!(
                "{block:?} is {:?} with {allocated} pages allocated and {} programs under way",
                table.state(block),
                table.in_flight(block)
            ));
        }
    }
    Ok(u64::from(geometry.pages()))
}

/// A block of the SLC cache is never a candidate, and no other is full of cached pages; those that are erased, open or
/// full stand in the lists of the cache.
fn in_its_place(ftl: &Ftl, block: BlockId) -> bool {
    let (state, cached) = (ftl.blocks().state(block), ftl.geometry().is_cache_block(block));
    let Some(cache) = ftl.cache().filter(|_| cached) else { return state != BlockState::Cached };
    let cache = cache.of(ftl.geometry().plane_of(block));
    let open = ftl.is_open(ftl.geometry().plane_of(block), block);
    let (free, full) = (cache.free.contains(&block), cache.full.contains(&block));
    match state {
        BlockState::Free => free && !open && !full,
        BlockState::Open => open && !free && !full,
        BlockState::Cached => full && !free && !open,
        BlockState::Filling | BlockState::Victim => !free && !open && !full,
        BlockState::Sealed | BlockState::Failed => false,
    }
}

/// The weight that a victim policy keeps of a block is the sum of those of its valid pages.
fn weight(ftl: &Ftl, block: BlockId) -> Result<(), String> {
    let (Some(kept), Some(recounted)) = (ftl.block_weight(block), ftl.recounted_weight(block)) else {
        return Ok(());
    };
    // No policy knows of blocks of the SLC cache.
    if kept == recounted || ftl.geometry().is_cache_block(block) {
        return Ok(());
    }
    Err(format!("{block:?} weighs {recounted}, but {kept} is kept"))
}

/// Free lists, frontiers and reclaimable pages agree with the block table.
fn space(ftl: &Ftl, at_rest: bool) -> Result<u64, String> {
    let geometry = ftl.geometry();
    let free: u32 = (0..geometry.planes()).map(|plane| ftl.plane(PlaneId(plane)).free.len()).sum();
    if free != ftl.free_blocks() {
        return Err(format!("{free} blocks are free, but {} are counted", ftl.free_blocks()));
    }
    for plane in (0..geometry.planes()).map(PlaneId) {
        let state = ftl.plane(plane);
        let first = geometry.first_block(plane).0;
        let blocks = || (first..first + geometry.ordinary_blocks()).map(BlockId);
        let free = blocks().filter(|b| ftl.blocks().state(*b) == BlockState::Free).count() as u32;
        // A part of a superblock waits for the erases of the others.
        let waits = geometry.superblock_planes > 1
            && state.victim.is_some()
            && ftl.blocks().state(state.victim) == BlockState::Free;
        if free != state.free.len() + u32::from(waits)
            || state.free.in_order().any(|b| ftl.blocks().state(b) != BlockState::Free)
        {
            return Err(format!("{plane:?} has {free} free blocks, but {} are listed", state.free.len()));
        }
        let reclaimable: u32 = blocks()
            .filter(|block| ftl.blocks().state(*block) == BlockState::Sealed)
            .map(|block| geometry.reclaimable(ftl.blocks().valid(block)))
            .sum();
        if reclaimable != state.reclaimable {
            return Err(format!(
                "{plane:?} has {reclaimable} reclaimable pages, but {} are counted",
                state.reclaimable
            ));
        }
        let open = blocks().filter(|block| ftl.blocks().state(*block) == BlockState::Open);
        if let Some(stray) = open.into_iter().find(|block| !ftl.is_open(plane, *block)) {
            return Err(format!("{stray:?} is open, but takes no pages of {plane:?}"));
        }
        settle_bound(ftl, plane)?;
        let owed = ftl.promises_pages(plane) || (ftl.cache().is_some() && state.owed_pages > 0);
        if at_rest && (state.reserved_pages > 0 || state.jobs > 0 || state.under_way > 0 || owed) {
            return Err(format!(
                "{plane:?} is at rest with {} reserved pages and {} jobs",
                state.reserved_pages, state.jobs
            ));
        }
    }
    superblocks(ftl)?;
    Ok(u64::from(geometry.blocks()))
}

/// Planes that share superblocks have the same free ones, no more is promised than there is, and what is kept of the
/// candidates is what their parts hold.
fn superblocks(ftl: &Ftl) -> Result<(), String> {
    let (geometry, Some(superblocks)) = (ftl.geometry(), ftl.superblocks()) else { return Ok(()) };
    if let Some(rows) = superblocks.rows() {
        rows.check(geometry, ftl.blocks())?;
    }
    let mut reclaimable = vec![0; superblocks.geometry.planes() as usize];
    for superblock in (0..superblocks.geometry.blocks()).map(BlockId) {
        let parts = || geometry.parts_of(superblock);
        let is_candidate = parts().all(|part| ftl.blocks().state(part) == BlockState::Sealed);
        if is_candidate != superblocks.is_candidate(superblock) {
            return Err(format!("superblock {} is a candidate: {is_candidate}", superblock.0));
        }
        let valid: u32 = parts().map(|part| ftl.blocks().valid(part)).sum();
        let kept = superblocks.table.valid(superblock);
        if is_candidate && valid != kept {
            return Err(format!(
                "superblock {} holds {valid} valid pages, but {kept} are kept",
                superblock.0
            ));
        }
        if is_candidate {
            let wins = superblocks.wins(valid);
            reclaimable[superblocks.geometry.plane_of(superblock).index()] += u64::from(wins);
        }
    }
    for plane in (0..geometry.planes()).map(PlaneId) {
        let first = geometry.first_of_scope(plane);
        let numbers = |plane: PlaneId| {
            let free = ftl.plane(plane).free.in_order();
            free.map(|block| block.0 % geometry.blocks_per_plane).collect::<Vec<_>>()
        };
        if numbers(plane) != numbers(first) {
            return Err(format!("{plane:?} and {first:?} share superblocks, and have not the same free"));
        }
        if ftl.promises_too_much(plane) {
            return Err(format!("{plane:?} has promised more pages than its open superblocks have"));
        }
        if superblocks.reclaimable(plane) != reclaimable[superblocks.scope(plane).index()] {
            return Err(format!("reclaimable pages of the superblocks of {plane:?} are counted otherwise"));
        }
    }
    Ok(())
}

/// Where stripes ask for room: the valid pages of a plane are counted right, and with those to come no more than what
/// collection can always find room for.
fn settle_bound(ftl: &Ftl, plane: PlaneId) -> Result<(), String> {
    let Some(most) = ftl.settle_bound() else { return Ok(()) };
    let (geometry, state) = (ftl.geometry(), ftl.plane(plane));
    let first = geometry.first_block(plane).0;
    let valid: u32 =
        (first..first + geometry.blocks_per_plane).map(|block| ftl.blocks().valid(BlockId(block))).sum();
    if valid != state.valid_pages {
        return Err(format!("{plane:?} holds {valid} valid pages, but {} are counted", state.valid_pages));
    }
    let coming = state.reserved_pages + state.under_way;
    if valid + coming > most {
        return Err(format!(
            "{plane:?} holds {valid} valid pages and waits for {coming}, but {most} are its most"
        ));
    }
    Ok(())
}

/// The parity of every stripe is the sum of its data.
fn parity(ftl: &Ftl) -> Result<u64, String> {
    let (Some(stripes), true) = (&ftl.geometry().stripes, ftl.versions().is_some()) else { return Ok(0) };
    for stripe in 0..stripes.count() {
        let parity = match ftl.map().place(stripes.parity_of(stripe)) {
            Place::Flash(ppn) => ftl.content(ppn),
            Place::Nowhere | Place::Lost | Place::Buffer(_) => 0,
        };
        let sum = ftl.sum_of_data(stripe);
        if parity != sum {
            return Err(format!(
                "the parity of stripe {stripe} is {parity:#018x}, but its data sums to {sum:#018x}"
            ));
        }
    }
    Ok(u64::from(stripes.count()))
}

/// Every logical page reads back its newest version.
fn data(ftl: &Ftl) -> Result<u64, String> {
    let Some(versions) = ftl.versions() else { return Ok(0) };
    versions.breach()?;
    for lpn in (0..ftl.map().logical_pages()).map(Lpn) {
        let place = ftl.map().place(lpn);
        if versions.is_live(lpn) != (place != Place::Nowhere) {
            return Err(format!("{lpn:?} is {place:?}, but was written: {}", versions.is_live(lpn)));
        }
        if let Place::Flash(ppn) = place
            && versions.newest(lpn) != versions.in_flash(ppn)
        {
            return Err(format!(
                "{lpn:?} reads back version {} from {ppn:?}, but version {} was written last",
                versions.in_flash(ppn),
                versions.newest(lpn)
            ));
        }
    }
    Ok(u64::from(ftl.map().logical_pages()))
}
