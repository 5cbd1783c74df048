"""A page of the docs that shows what a command prints: the command is run as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import environment, ran

ROOT = Path(__file__).parents[3]
UPDATE = "RECLAIM_UPDATE_DOCS"


class Documented:
    """A page, and a folder in which its command was run."""

    def __init__(self, page: str, command: str, folder: Path) -> None:
        """Run the first line of the page that begins with `reclaim` and the command."""
        self.page = ROOT / "docs" / page
        self.folder = folder
        self._shown = re.compile(
            rf"(<!-- what reclaim {command} prints: .*? -->\n```\n)(.*?)(```\n)", re.DOTALL
        )
        (folder / "examples").symlink_to(ROOT / "examples")
        words = re.search(rf"^reclaim ({command} [^#\n]*)", self.text(), re.MULTILINE)
        assert words
        self.done = ran(folder, *words[1].split())
        assert self.done.returncode in (0, 3), self.done.stderr
        self.lines = self.done.stdout.splitlines()

    def text(self) -> str:
        return self.page.read_text()

    def shows_what_is_printed(self, place: str, pictures: dict[str, str]) -> None:
        """The page has the lines; its pictures (by their names in docs/images) are those of the results."""
        assert self.lines[-1] == f"results: {place}"
        now = "".join(f"{line.rstrip()}\n" for line in self.lines[:-1])
        if os.environ.get(UPDATE):
            self.page.write_text(self._shown.sub(lambda found: found[1] + now + found[3], self.text()))
            for picture, drawn in pictures.items():
                shutil.copy(self.folder / place / drawn, ROOT / "docs" / "images" / picture)
            return
        shown = self._shown.search(self.text())
        assert shown
        assert shown[2] == now, f"{UPDATE}=1 renews it"
        assert all((ROOT / "docs" / "images" / picture).is_file() for picture in pictures)

    def gives_the_same_from_python(self, log: str) -> None:
        """The Python on the page prints what the command printed first, and runs nothing again."""
        (code,) = re.findall(r"^```python\n(.*?)^```$", self.text(), re.MULTILINE | re.DOTALL)
        stored = (self.folder / log).read_text()
        words = [sys.executable, "-c", code]
        printed = subprocess.check_output(words, cwd=self.folder, env=environment(), text=True)
        assert printed.splitlines()[0] == self.lines[0]
        assert (self.folder / log).read_text() == stored, "it ran something again"
