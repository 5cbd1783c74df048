//! Optional long tables, as struct of arrays: one row per request, one row per collection job.

/// One row per completed request, in order of completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestTable {
    /// When it reached the drive, ns of simulated time.
    pub arrival_ns: Vec<u64>,
    /// When the host was told that it is done, ns of simulated time.
    pub completion_ns: Vec<u64>,
    /// First byte, as in the trace.
    pub offset_bytes: Vec<u64>,
    /// Bytes, as in the trace.
    pub size_bytes: Vec<u64>,
    /// 0 read, 1 write, 2 trim, 3 flush.
    pub op: Vec<u8>,
    /// Waiting behind other host operations, ns (of the slowest page, like the next four).
    pub queue_ns: Vec<u64>,
    /// Waiting for garbage collection, ns.
    pub gc_ns: Vec<u64>,
    /// Between controller and die, ns.
    pub transfer_ns: Vec<u64>,
    /// In the array, ns.
    pub array_ns: Vec<u64>,
    /// Between host and drive, ns.
    pub link_ns: Vec<u64>,
}

/// One row per collection job, in order of completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GcLog {
    /// When the victim was chosen, ns of simulated time.
    pub start_ns: Vec<u64>,
    /// End of the erase, ns.
    pub end_ns: Vec<u64>,
    /// When the last of its pages was in flash again, ns: later than the erase where pages wait for it in a buffer.
    pub written_back_ns: Vec<u64>,
    /// Global number of the plane collected.
    pub plane: Vec<u32>,
    /// Global number of the victim block.
    pub victim_block: Vec<u32>,
    /// Its valid pages when it was chosen.
    pub valid_pages: Vec<u32>,
    /// Free blocks of the plane after the erase.
    pub free_blocks_after: Vec<u32>,
    /// 0 garbage collection, 1 wear levelling.
    pub cause: Vec<u8>,
    /// 1 if a host write waited for a page of the plane when the job began, so that no limit held it back; else 0.
    pub emergency: Vec<u8>,
    /// Pages of the drive written and not erased since when the job began, valid or not.
    pub used_pages: Vec<u64>,
}
