//! Fetching memory before it is needed: what a drive touches next is often known, and does not fit into the first
//! cache, or into any. Nothing changes but the time it takes.

/// Has the processor fetch an element of a slice, if there is one at `index`, and does not wait for it: the line that
/// it begins in.
#[inline(always)]
#[allow(clippy::inline_always, reason = "one instruction")]
#[allow(unsafe_code, reason = "a prefetch reads nothing, whatever the address; no safe one is stable yet")]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
