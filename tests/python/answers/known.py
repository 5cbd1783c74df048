"""Cases whose answer is not yet good, each with the reason: no other may fail, and none of these may pass.

Who mends one takes its line away and renews the table of answers.
"""

from __future__ import annotations

TERMINATED = "a run that is ended by SIGTERM or SIGHUP leaves its hidden file or folder until the next one"
TYPE_NAMES = "the description of a generated trace is refused with the words of the library that reads it"
ADDRESS_SPACE = "a limit of address space (ulimit -v) is not known before the run, which crashes on it"

KNOWN: dict[str, str] = {
    'devices: gc.victim = "gredy"': "text in place of a policy's table: the policies are not named",
    "devices: seed beyond 64 bits": "a number beyond 64 bits is answered with a type of the program",
    'devices: trace.sample_unit = "3KiB"': "the sampled unit is checked only where something is sampled",
    'devices: trace.align = "3B"': "the alignment of a device file is not checked",
    "options: --warmup steady --set warmup.overwrites=3": "overwrites say nothing of a steady warm-up",
    "options: minus ten requests": TYPE_NAMES,
    "options: half a request": TYPE_NAMES,
    "options: unknown kind": TYPE_NAMES,
    "limits: SIGTERM in the run": TERMINATED,
    "limits: SIGTERM while a state is saved": TERMINATED,
    "limits: SIGTERM while a trace is written": TERMINATED,
    "limits: hung up": TERMINATED,
    "limits: too little memory for a drive": ADDRESS_SPACE,
    "limits: far too little memory for a drive": f"{ADDRESS_SPACE}, and hangs",
    "limits: 4 open files and results": "the library that draws figures shows its own failure",
    "api: reclaim.simulate(drive, trace, save_state='t.csv', force=True)": (
        "a state that is saved by force does not know which files the trace is read from"
    ),
}
