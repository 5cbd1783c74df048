"""Commands and calls in processes of their own that need not start Python anew.

An interpreter that has imported everything waits for jobs, one JSON object a line, and forks for each.
So a crash, a hang, a limit or a closed stream of one case is no other's, and 300 cases take seconds.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

PRELUDE = """
import math, os, pickle, signal, threading
from pathlib import Path
import reclaim
drive = reclaim.Device.load("d.toml")
trace = reclaim.open_trace("t.csv")
"""


def _streams(job: dict[str, Any]) -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        where = job[name]
        if where == "closed":
            os.close(number)
            setattr(sys, name, None)
            continue
        if where == "unread":
            reader, place = os.pipe()
            os.close(reader)
        else:
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_APPEND
            place = os.open(where, flags)
        os.dup2(place, number)
        os.close(place)
        mode = "r" if number == 0 else "w"
        setattr(sys, name, io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding="utf-8"))


def _call(source: str) -> int:
    space: dict[str, Any] = {}
    exec(PRELUDE, space)  # noqa: S102
    body = ast.parse(source)
    *before, last = body.body
    try:
        exec(compile(ast.Module(before, []), "case", "exec"), space)  # noqa: S102
        if isinstance(last, ast.Expr):
            print(repr(eval(compile(ast.Expression(last.value), "case", "eval"), space)))  # noqa: S307, T201
        else:
            exec(compile(ast.Module([last], []), "case", "exec"), space)  # noqa: S102
    except BaseException as error:  # noqa: BLE001
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 2
    return 0


PLAIN: dict[str, Any] = {"stdin": os.devnull, "call": "", "limits": {}, "fresh": False, "moment": None}
"""What a job asks for that does not say otherwise."""


def _job(job: dict[str, Any]) -> int:
    os.setpgid(0, 0)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    _streams(job)
    for name, value in job["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    # A test run in the background would hand on that Ctrl-C is ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL if job["fresh"] else signal.default_int_handler)
    if job["fresh"]:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, "-m", "reclaim", *job["words"]])  # noqa: S606
    if job["call"]:
        from reclaim.errors import ResultWarning

        warnings.simplefilter("ignore", ResultWarning)
        return _call(job["call"])
    from reclaim.cli import main

    # So that usage shows the name of the command, not of this file.
    sys.modules["__main__"].__package__ = None
    sys.argv = ["reclaim", *job["words"]]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _forked(job: dict[str, Any]) -> None:
    code = 70
    try:
        code = _job(job)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except BaseException:  # noqa: BLE001
        import traceback

        if sys.stderr is not None:
            traceback.print_exc()
    os._exit(code)


def _waited(child: int, job: dict[str, Any]) -> int | None:
    """How it ended, as subprocess says it, and None if not in time; meanwhile its moment comes."""
    end = time.monotonic() + job["seconds"]
    moment = job["moment"]
    due: float | None = None
    pause = 0.002
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = time.monotonic()
        seen = moment is not None and due is None and moment["seen"]
        if moment is not None and due is None and (not seen or list(Path(job["cwd"]).glob(seen))):
            due = now + moment["after_seconds"]
        if moment is not None and due is not None and now >= due:
            os.kill(child, getattr(signal, moment["signal"]))
            moment["times"] -= 1
            if moment["times"] == 0:
                moment = None
        if now > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(pause)
        if moment is None:
            pause = min(pause * 1.2, 0.02)


def serve() -> None:
    """Do jobs until there are no more."""
    import reclaim
    from reclaim.cli.app import app

    for module in pkgutil.walk_packages(reclaim.__path__, "reclaim."):
        if not module.name.startswith("reclaim.shipped") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()):
        # The parser of options is imported when it is first used.
        app(["device", "list"], standalone_mode=False)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        job = PLAIN | json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _forked(job)
        code = _waited(child, job)
        sys.stdout.write(json.dumps({"code": code, "seconds": time.monotonic() - began}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
