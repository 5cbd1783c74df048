//! What victim policies see.

/// What victim policies see. A macro, because a method would borrow the policy too.
macro_rules! block_view {
    ($ftl:expr) => {
        $crate::gc::events::BlockView {
            geometry: &$ftl.geometry,
            blocks: &$ftl.blocks,
            map: &$ftl.map,
            programmed: $ftl.tally.programmed(),
        }
    };
}

/// What limits of jobs see. A macro for the same reason.
macro_rules! jobs_view {
    ($ftl:expr, $jobs_per_channel:expr, $channel_idle:expr) => {
        $crate::gc::concurrency::JobsView {
            geometry: &$ftl.geometry,
            jobs_per_channel: $jobs_per_channel,
            used_pages: $ftl.used_pages(),
            valid_pages: $ftl.map.valid_pages(),
            channel_idle: $channel_idle,
        }
    };
}

/// What triggers see. A macro for the same reason.
macro_rules! space_view {
    ($ftl:expr, $plane:expr, $state:expr, $channel_idle:expr, $request_waits:expr) => {
        $crate::gc::trigger::SpaceView {
            geometry: &$ftl.geometry,
            plane: $plane,
            free_blocks: $state.free.len(),
            drive_free_blocks: $ftl.free_blocks,
            reclaimable_pages: $state.reclaimable,
            channel_idle: $channel_idle,
            request_waits: $request_waits,
        }
    };
}

/// What relocation policies see. A macro for the same reason.
macro_rules! job_view {
    ($ftl:expr, $plane:expr, $victim:expr, $cursor:expr, $steps_under_way:expr) => {
        $crate::gc::relocation::JobView {
            geometry: &$ftl.geometry,
            map: &$ftl.map,
            blocks: &$ftl.blocks,
            reclaimable: $ftl.planes[$plane.index()].reclaimable,
            plane: $plane,
            victim: $victim,
            cursor: $cursor,
            steps_under_way: $steps_under_way,
            next_page: $ftl.next_collected_page($plane),
        }
    };
}

/// What relocation policies see when they hear of the host. A macro for the same reason.
macro_rules! drive_view {
    ($ftl:expr) => {
        $crate::gc::relocation::DriveView {
            geometry: &$ftl.geometry,
            blocks: &$ftl.blocks,
            planes: &$ftl.planes,
        }
    };
}

/// Space accounting, as policies may look at it. A macro for the same reason.
macro_rules! accounting {
    ($ftl:expr) => {
        $crate::mapping::SpaceAccounting {
            planes: &$ftl.planes,
            blocks: &$ftl.blocks,
            geometry: &$ftl.geometry,
            points: &$ftl.points,
            host_stop: $ftl.policies.host_stop,
            cache: $ftl.cache.as_deref(),
            superblocks: $ftl.superblocks.as_deref(),
        }
    };
}
