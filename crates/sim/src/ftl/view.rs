//! What victim policies see.

/// What victim policies see. A macro, because a method would borrow the policy too.
macro_rules! block_view {
    ($ftl:expr) => {
        $crate::gc::victim::BlockView {
            geometry: &$ftl.geometry,
            blocks: &$ftl.blocks,
            map: &$ftl.map,
            programmed: $ftl.programmed,
        }
    };
}
