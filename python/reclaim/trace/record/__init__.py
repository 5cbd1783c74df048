"""Recording a block trace of a command, on Linux as root.

The command runs on a fresh ext4 (mounted with `-o discard`) on a loop device of its own. The kernel's block
tracepoints are read through a tracefs instance of its own, so that nobody else's tracing is disturbed. Every
step is undone on every way out: the end of the command, an error, Ctrl-C, a termination signal.
"""

from __future__ import annotations

from reclaim.trace.record.plan import RecordingPlan
from reclaim.trace.record.requirements import missing
from reclaim.trace.record.session import Recording, record

__all__ = ["Recording", "RecordingPlan", "missing", "record"]
