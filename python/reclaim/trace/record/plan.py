"""What a recording will do, before it does anything."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

DEFAULT_BYTES = 8 << 30
DIRTY_BYTES = 256 << 20
"""Unwritten data the kernel may hold for the device: without a limit a quick command only fills memory."""
BUFFER_KIB = 16 << 10
"""Of the trace buffer, for each processor."""
EVENT = "block_rq_issue"
"""What the device is given, after merging and splitting: blkparse's D."""


@dataclass(frozen=True)
class RecordingPlan:
    """A recording."""

    command: tuple[str, ...]
    output: Path
    size_bytes: int = DEFAULT_BYTES
    """Size of the device."""
    workspace: Path | None = None
    """Folder for the image; the folder of the output if None."""
    drop_cache_s: float = 0.0
    """Seconds between rounds of dropping the files from memory, so that reads reach the device; 0 never."""
    buffer_kib: int = BUFFER_KIB
    overwrite: bool = False
    """Whether `output` may be there already."""

    @property
    def folder(self) -> Path:
        """Where the image is made."""
        return self.workspace or self.output.absolute().parent

    @property
    def image(self) -> Path:
        """The file behind the loop device."""
        return self.folder / f".{self.output.name}.image"

    @property
    def mount_point(self) -> Path:
        """Where the device is mounted and the command runs."""
        return self.folder / f".{self.output.name}.mounted"

    def losetup(self) -> list[str]:
        """Attach the image to a free loop device, past the page cache of the file system below."""
        return ["losetup", "--find", "--show", "--direct-io=on", str(self.image)]

    @staticmethod
    def mkfs(device: str) -> list[str]:
        """Make the file system, with nothing left to be written later behind the command's back."""
        return ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device]

    def mount(self, device: str) -> list[str]:
        """Mount it so that what is freed is trimmed."""
        return ["mount", "-o", "discard", device, str(self.mount_point)]

    def words(self) -> list[str]:
        """The command, with `{mount}` replaced by the folder it runs in."""
        return [word.replace("{mount}", str(self.mount_point)) for word in self.command]

    def steps(self) -> list[str]:
        """Every step in words, in order."""
        return [
            f"make a sparse file of {self.size_bytes >> 20} MiB: {self.image}",
            shlex.join(self.losetup()),
            shlex.join(self.mkfs("LOOP")),
            f"limit unwritten data of the device to {DIRTY_BYTES >> 20} MiB",
            f"trace {EVENT} of LOOP in a tracefs instance of its own, {self.buffer_kib} KiB a processor",
            shlex.join(self.mount("LOOP")),
            *(
                [f"every {self.drop_cache_s:g} s: drop the files' pages from memory"]
                if self.drop_cache_s
                else []
            ),
            f"in {self.mount_point}: {shlex.join(self.words())}",
            f"sync, umount {self.mount_point}, stop tracing, detach LOOP, delete the image",
            f"write {self.output}{' over the file that is there' if self.output.exists() else ''}",
        ]
