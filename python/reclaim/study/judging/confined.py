"""Runs a command that may write into one folder, sees no home, and opens no socket: for code of strangers.

A program by itself: `python -I -S confined.py FOLDER READ... -- COMMAND...`. It imports nothing of the
package, so that no thread is there before it confines itself. What Linux lets no process undo does it, with
no right that an ordinary user lacks: Landlock (files, signals) and a filter of system calls (sockets).

It is no virtual machine: a fault of the kernel, and what is computed inside the process, are not kept in.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys
from pathlib import Path

LEAST_ABI = 3
"""Of Landlock, from which files cannot be cut short elsewhere, either: Linux 6.2."""
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION, BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
SCOPES = 3
"""No signals, and no abstract sockets, to processes outside: from the sixth ABI on."""
SET_SECCOMP, GET_SECCOMP, FILTER, SET_NO_NEW_PRIVILEGES = 22, 21, 2, 38
MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""How filters name the machine, and the number of `socket` there."""
IO_URING_SETUP, OTHER_NUMBERS = 425, 0x40000000
CAPABILITIES = 0x20080522
"""Version 3 of their sets."""
KILL, ALLOW, DENY = 0x80000000, 0x7FFF0000, 0x00050000 | 13
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
FILE_BYTES, SECONDS = 1 << 30, 2 * 3600
"""The most that a file may have, and a process may compute."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/proc", "/sys")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def lacking() -> str:
    """Say what this machine lacks to confine a process; empty if nothing."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return "Linux on x86-64 or 64-bit ARM"
    libc = _libc()
    if libc.syscall(CREATE_RULESET, None, 0, VERSION) < LEAST_ABI:
        return "Landlock as of Linux 6.2"
    return "filters of system calls" if libc.prctl(GET_SECCOMP, 0, 0, 0, 0) < 0 else ""


def command(folder: Path, reads: list[Path], confined: list[str]) -> list[str]:
    """Give the command that runs another one confined to a folder.

    Args:
        folder: where it may write.
        reads: what it may read beside Python and the libraries of the system.
        confined: what runs.
    """
    own = [str(each) for each in (folder, *reads, sys.prefix, sys.base_prefix)]
    return [sys.executable, "-I", "-S", __file__, *own, "--", *confined]


def environment(folder: Path, path: Path) -> dict[str, str]:
    """Give what a command finds in its environment: nothing of who starts it, which may be secret.

    Args:
        folder: what it calls its home.
        path: where Python finds the package.
    """
    known = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    known |= dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(folder))
    return known | {"PYTHONPATH": str(path)}


def _limit_files(libc: ctypes.CDLL, folder: str, reads: list[str]) -> None:
    abi = libc.syscall(CREATE_RULESET, None, 0, VERSION)
    every = (1 << (16 if abi >= 5 else 15)) - 1
    attributes = struct.pack("=QQQ", every, 0, SCOPES)[: 24 if abi >= 6 else 8]
    rules = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    allowed = dict.fromkeys((*SYSTEM, *reads), EXECUTE | READ_FILE | READ_DIR)
    allowed |= dict.fromkeys(DEVICES, READ_FILE | WRITE_FILE) | {folder: every}
    for path, access in allowed.items():
        if not os.path.exists(path):  # noqa: PTH110 - nothing is imported that need not be
            continue
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        _must(libc.syscall(ADD_RULE, rules, BENEATH, struct.pack("=Qi", access, handle), 0), path)
        os.close(handle)
    _must(libc.syscall(RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)


def _limit_calls(libc: ctypes.CDLL) -> None:
    machine, socket = MACHINES[platform.machine()]
    # Each with how many lines it passes over where it holds, and where not.
    lines = [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, machine),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
        (AT_LEAST, 2, 0, OTHER_NUMBERS),
        (EQUAL, 2, 0, socket),
        (EQUAL, 1, 2, IO_URING_SETUP),
        (RETURN, 0, 0, KILL),
        (RETURN, 0, 0, DENY),
        (RETURN, 0, 0, ALLOW),
    ]
    text = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in lines))
    program = struct.pack("@HP", len(lines), ctypes.addressof(text))
    _must(libc.prctl(SET_SECCOMP, FILTER, program, 0, 0), "filter of system calls")


def _must(answer: int, what: str) -> None:
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)


def main(words: list[str]) -> None:
    """Confine this process for good, and become the command."""
    at = words.index("--")
    folder, *reads = words[:at]
    libc = _libc()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    _must(libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    # The administrator has no more rights in there than anybody else.
    _must(libc.capset(struct.pack("=Ii", CAPABILITIES, 0), bytes(24)), "capabilities")
    _limit_files(libc, folder, reads)
    _limit_calls(libc)
    os.execv(words[at + 1], words[at + 1 :])  # noqa: S606 - it is what this is for


if __name__ == "__main__":
    main(sys.argv[1:])
