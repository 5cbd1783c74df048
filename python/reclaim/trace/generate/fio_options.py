"""The options of fio 3 by what they have to do with a trace (HOWTO.rst of fio 3.41).

Some say which requests there are, some only how fio gets them to the device, and some make requests that no
trace of a block device has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

OPERATIONS = ("read", "write", "trim")
DIRECTIONS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "read": (False, ("read",)),
    "write": (False, ("write",)),
    "trim": (False, ("trim",)),
    "rw": (False, ("read", "write")),
    "readwrite": (False, ("read", "write")),
    "randread": (True, ("read",)),
    "randwrite": (True, ("write",)),
    "randtrim": (True, ("trim",)),
    "randrw": (True, ("read", "write")),
}
"""Value of rw: whether addresses are random, and which operations there are."""
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
KEYWORDS = {"$pagesize": "4096", "$ncpus": "1"}
"""What fio asks its machine for."""
MOST_SIZES = 256
"""Of a range of sizes; more are drawn in larger steps."""
SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "m": 60.0, "h": 3600.0, "d": 86400.0}

ALIASES = {
    "readwrite": "rw",
    "blocksize": "bs",
    "blockalign": "ba",
    "blocksize_range": "bsrange",
    "iops_rate": "rate_iops",
    "io_limit": "io_size",
    "timeout": "runtime",
    "nr_files": "nrfiles",
    "wait_for_previous": "stonewall",
    "steadystate": "ss",
}
"""Other names of options."""

MEANINGFUL = (
    *("rw", "rwmixread", "rwmixwrite", "bs", "bsrange", "bssplit", "ba", "size", "filesize", "offset"),
    *("offset_increment", "io_size", "number_ios", "loops", "runtime", "time_based", "rate_iops", "rate"),
    *("rate_process", "thinktime", "thinktime_blocks", "random_distribution", "percentage_random"),
    *(
        "norandommap",
        "randseed",
        "randrepeat",
        "ramp_time",
        "ss",
        "numjobs",
        "nrfiles",
        "filename",
        "stonewall",
    ),
    *("wait_for", "startdelay", "iodepth", "ioengine", "flow"),
)
"""What says which requests there are, and in which order they come."""

NO_EFFECT: Mapping[str, str] = {
    r"ioengine|direct|buffered|sync|iomem\w*|mem|mem_align|hugepage\w*|lockmem|fixedbufs|registerfiles|"
    r"nonvectored|force_async|sqthread_poll\w*|hipri\w*|nowait|uncached|userspace_reap|libaio_vectored|"
    r"io_submit_mode|iodepth_\w*|serialize_overlap|cmd_type|cdb_len|xnvme_\w*|libblkio_\w*|no_completion_thread|"
    r"invalidate|fadvise_hint|pre_read|overwrite|gpu_dev_ids?|cuda_io|rocm_io|mmapshared|md_per_io_size|pi_act|"
    r"pi_chk|apptag\w*|readfua|writefua|read_mode|busy_poll|replay_\w*": "how fio reaches the device",
    r"filename|filename_format|directory|unique_filename|filetype|opendir|lockfile|openfiles|create_\w*|"
    r"file_service_type|allow_\w*|unlink\w*|fallocate|file_append|clustername|rbdname|pool|conf|"
    r"clientname|volume|brick|cont|"
    r"chunk_size|object_class|nfs_url|uri|namenode|hdfs\w*|hostname|port|rbd_\w*|touch_objects|"
    r"ioscheduler|single_instance|pool_\w*|dfs\w*|skip_bad": "what fio writes to",
    r"name|description|comm": "what the job is called",
    r"group_reporting|new_group|stats|unified_rw_reporting|write_\w+_log|log_\w+|per_job_logs|\w+_percentiles|"
    r"percentile_list|disable_\w+|bwavgtime|iopsavgtime|disk_util|gtod_\w+|clocksource|significant_figures|"
    r"eta\w*|minimal|kb_base|unit_base|continue_on_error|ignore_error|error_dump|max_latency|write_iolog": (
        "what fio prints"
    ),
    r"thread|threads|cpus_allowed\w*|cpumask|numa_\w*|nice|prio\w*|cmdprio\w*|cgroup\w*|uid|gid|"
    r"exitall\w*|exit_what|exec_prerun|exec_postrun|job_start_clock_id": "how fio runs",
    r"zero_buffers|refill_buffers|scramble_buffers|buffer_\w*|dedupe_\w*": "what is in the pages",
    r"random_generator|allrandrepeat|softrandommap|rw_sequencer|bs_is_seq_rand|random_sequence_stride": (
        "how fio draws; the same kind of addresses come in another order"
    ),
    r"rate_min|ratemin|rate_iops_min|rate_cycle|rate_ignore_thinktime|thinktime_spin|thinkcycles|"
    r"thinktime_blocks_type|thinktime_iotime|flow_id|flow_sleep": "how fio keeps to its pace",
}
"""Accepted without effect on the requests: patterns of names, and what they are about."""

LEFT_OUT: Mapping[str, str] = {
    r"verify\w*|do_verify|experimental_verify": "reads that check what was written are left out",
    r"trim_percentage|trim_backlog\w*|trim_verify_zero": "trims of verify are left out",
    r"fsync|fdatasync|sync_file_range|write_barrier|end_fsync|end_syncfs|fsync_on_close|create_fsync": (
        "flushes are left out: with a write buffer, writes are answered sooner here"
    ),
    r"latency_target|latency_window|latency_percentile|latency_run": (
        "the queue depth is not searched for; reclaim run --queue-depth N takes one"
    ),
    r"fill_device|fill_fs": "the job ends with size here, not with the device",
    r"ss_dur|ss_ramp|ss_interval|steadystate_\w+": "with ss",
    r"fdp|plids|fdp_pli|plid_select|fdp_pli_select|dp_scheme|dataplacement|write_hint|stream_id": (
        "all is of stream 0; stream_ends of a description makes streams by address"
    ),
    r"sprandom|spr_\w+": "the drive is prepared by --warmup here, not by the job",
    r"ramp_size": "the first requests are measured, too; see measure.after",
    r"atomic|write_mode|verify_mode|sg_write_mode|num_range": "writes are plain writes",
}
"""Accepted, and what is lost by it."""

REFUSED: Mapping[str, str] = {
    r"zonemode|zonerange|zonesize|zonecapacity|zoneskip|zone_\w+|read_beyond_wp|\w*max_open_zones|"
    r"recover_zbd_write_error|write_zone_remainders|ignore_zone_limits": (
        "zones have no counterpart: a page is written in place here, and the drive collects garbage"
    ),
    r"read_iolog|read_iolog_chunked|merge_blktrace\w*": "replays a recording; name that as the trace",
    r"blocksize_unaligned|bs_unaligned": "requests here are of whole sectors",
    r"cpu\w+|netsplice|listen|pingpong|protocol|proto|interface|ttl|nodelay|window_size|mss|verb|bindname|"
    r"http\w*|program|arguments|grace_time|std_redirect|donorname|inplace|stat_type|exit_on_io_done": (
        "belongs to an engine that asks nothing of a block device"
    ),
}
"""What a trace of a block device cannot have, and why."""

OTHER_ENGINES = {
    "cpuio": "keeps the processor busy",
    "net": "sends over a network",
    "netsplice": "sends over a network",
    "rdma": "sends over a network",
    "http": "asks a server for objects",
    "exec": "runs a program",
    "filecreate": "makes files",
    "filedelete": "deletes files",
    "filestat": "looks at files",
    "filestats": "looks at files",
    "dircreate": "makes folders",
    "dirdelete": "deletes folders",
    "dirstat": "looks at folders",
    "falloc": "allocates files",
    "ftruncate": "cuts files",
    "e4defrag": "defragments files",
    "dev-dax": "writes persistent memory",
    "libpmem": "writes persistent memory",
}
"""Engines that ask nothing of a block device, and what they do."""

SYNCHRONOUS = ("psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "null", "splice")
"""Engines that have one request at a time, whatever iodepth says; fio's default is the first."""


def matching(patterns: Mapping[str, str], name: str) -> str | None:
    """Find what is said of the first pattern that the name of an option is.

    >>> matching(REFUSED, "zonemode").split(":")[0], matching(REFUSED, "bs")
    ('zones have no counterpart', None)
    """
    return next((said for pattern, said in patterns.items() if re.fullmatch(pattern, name)), None)


def is_known(name: str) -> bool:
    """Whether fio has an option of this name.

    >>> is_known("norandommap"), is_known("thread"), is_known("job")
    (True, True, False)
    """
    tables = (NO_EFFECT, LEFT_OUT, REFUSED)
    return name in ALIASES or name in MEANINGFUL or any(matching(each, name) is not None for each in tables)
