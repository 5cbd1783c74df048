"""A real browser that opens a page: what it complains of, what it has drawn, whether the page is too wide.

It is spoken to by the DevTools protocol over two pipes: JSON messages that end with a zero byte.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
DRAWN = """new Promise(resolve => {
  const ended = each => each.dataset.drawn || each.textContent.startsWith("This figure cannot be drawn");
  const waiting = () => ![...document.querySelectorAll(".figure")].every(ended);
  let tries = 0;
  const done = () => setTimeout(() => resolve(tries), 150);
  const look = () => waiting() && ++tries < 2400 ? setTimeout(look, 50) : done();
  look();
})"""
TOLD = """(() => {
  const marks = ".role-mark path:not([d='']), .role-mark line, .role-mark text";
  const all = found => [...document.querySelectorAll(found)];
  const charts = all(".figure svg").filter(each => each.querySelector("[class^=mark]"));
  const auto = each => getComputedStyle(each).overflowX === "auto";
  const scrolls = each => each && (auto(each) || scrolls(each.parentElement));
  const outside = all("main *").filter(each => !scrolls(each)
    && each.getBoundingClientRect().right > innerWidth + 1);
  return {
    figures: all(".figure").map(each => each.id),
    drawn: all(".figure[data-drawn=yes]").map(each => each.id),
    charts: charts.length,
    empty: charts.filter(each => !each.querySelector(marks)).length,
    cut: all(".panels .vega-embed").filter(each => each.scrollWidth > each.clientWidth + 2).length,
    page: [document.documentElement.scrollWidth, innerWidth],
    outside: outside.slice(0, 5).map(each => each.tagName + "." + each.className),
    background: getComputedStyle(document.body).backgroundColor,
    text: getComputedStyle(document.body).color,
  };
})()"""


@dataclass(frozen=True)
class Opened:
    """A page as a browser shows it."""

    told: dict[str, Any]
    """What the page has: `figures`, those `drawn`, `charts`, `empty` ones, widths of `page` and window."""
    complaints: list[str]
    """Errors and warnings in the console, exceptions, and whatever was asked of the network."""


class Browser:
    """A running browser with one page."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._pending = 0, b""
        self._events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    _session: str | None = None

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            received = os.read(self._answers, 1 << 20)
            assert received, "the browser has ended"
            self._pending += received
        message, self._pending = self._pending.split(b"\0", 1)
        told: dict[str, Any] = json.loads(message)
        return told

    def ask(self, method: str, **parameters: Any) -> Any:
        """Send a command and give its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            told = self._receive()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]
            self._events.append(told)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, of a promise once it is kept."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_until_drawn(self) -> None:
        """Wait until every figure is there, or says that it cannot be drawn."""
        self.evaluate(DRAWN)

    def open(self, page: Path, *, width: int = 1280, dark: bool = False) -> Opened:
        """Open a page, wait until all is drawn, and give what became of it."""
        self._events.clear()
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=2 if width < 500 else 1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=page.resolve().as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self._events):
            self._events.append(self._receive())
        self.wait_until_drawn()
        told = self.evaluate(TOLD)
        return Opened(told, [text for each in self._events if (text := complaint(each))])


def complaint(event: dict[str, Any]) -> str:
    """What an event says is wrong; nothing of others."""
    method, told = event.get("method"), event.get("params", {})
    if method == "Runtime.exceptionThrown":
        return f"exception: {told['exceptionDetails'].get('exception', told['exceptionDetails'])}"
    if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
        return (
            f"console.{told['type']}: {[each.get('value', each.get('description')) for each in told['args']]}"
        )
    if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
        return f"log: {told['entry']['text']}"
    if method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(
        ("file:", "data:", "blob:")
    ):
        return f"request: {told['request']['url']}"
    return ""


@contextmanager
def running(profile: Path) -> Iterator[Browser]:
    """The browser of this process, which reaches no network; skip the test if there is none.

    The first that asks for it starts it, with a profile in its folder.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser found; install one of {', '.join(BROWSERS)} to test that reports are drawn")
    if not _RUNNING:
        read_commands, commands = os.pipe()
        answers, write_answers = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4; a plain sh knows none above 9.
        shell = f'exec "$@" 3<&{read_commands} 4>&{write_answers}'
        process = subprocess.Popen(
            ["bash", "-c", shell, "bash", found, *SWITCHES, f"--user-data-dir={profile}"],
            pass_fds=(read_commands, write_answers),
            stderr=subprocess.DEVNULL,
        )
        atexit.register(process.terminate)
        os.close(read_commands)
        os.close(write_answers)
        _RUNNING.append(Browser(commands, answers))
    yield _RUNNING[0]


_RUNNING: list[Browser] = []
