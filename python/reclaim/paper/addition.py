"""What goes past a paper, run by itself and put on its page beside what is there: `reproduce --only`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reclaim import _core, input_file, output_file, output_folder
from reclaim.errors import InputError
from reclaim.paper import measures
from reclaim.paper.figures import LevelRuns
from reclaim.paper.page import DATA, PAGE, write
from reclaim.paper.page_data import as_text, with_added
from reclaim.paper.paper import Paper
from reclaim.paper.reproduce import KIND, OfPaper, PaperFolder
from reclaim.report.document import Document


class AdditionStudy(OfPaper[Path]):
    """Some of what goes past a paper, or what is asked of its headlines, written into its page.

    Claims and all else of the page stay; `page.json` says of which run and commit what is new. An agreement
    changes where a claim is found to depend on a choice. What is unsettled is as the paper's files say now.

    Args:
        paper: whose page has data already.
        beyond: labels of `[beyond]`.
        why: ask of every headline which choices turn it.
        allow_code: as for `OfPaper`.

    Raises:
        InputError: as `OfPaper`, and if the page has no data yet.
    """

    def __init__(
        self, paper: Paper, beyond: Sequence[str], *, why: bool = False, allow_code: bool = False
    ) -> None:
        super().__init__(paper, why=why, beyond=beyond, allow_code=allow_code)
        self._data = paper.folder / DATA
        if not input_file.is_there(self._data):
            makes = f"reclaim reproduce {paper.key} --write-page makes it first"
            raise InputError(f"--only: {self._data} is not there; {makes}")

    @staticmethod
    def begin(folder: Path, *, force: bool) -> None:
        """See that the folder has nothing of another command; what a reproduction wrote stays.

        Raises:
            InputError: if it has.
        """
        del force
        if (other := output_folder.of_another_kind(folder, KIND)) is not None:
            raise InputError(f"{other}; give another folder")

    def judge(self, points: PaperFolder) -> Path:
        """Run what is not stored yet, and put on the page what it gives.

        Raises:
            InputError: if a run failed.
        """
        paper, runs = self.paper, points.runs
        sweeps = runs.output / "sweeps" / "default"
        ran = LevelRuns("default", paper.load, runs.further(), sweeps, paper.workload_names)
        if runs.failures:
            raise InputError(f"--only: the page stays as it is, because a run failed: {runs.failures[0]}")
        of_runs = measures.of_runs(paper.folder, self._module, ran)
        made = {name: each.figure for name, each in of_runs.figures.items() if each.figure is not None}
        asked = [each.ask(runs.output, points.options, points.progress).to_dict() for each in self._asked]
        beyond = f" --beyond {','.join(runs.beyond)}" if runs.beyond else ""
        command = f"reclaim reproduce {paper.key}{beyond}{' --why' if asked else ''} --only"
        before = json.loads(input_file.text(self._data))
        found = with_added(before, made, of_runs.tables, asked, command, _core.__version__)
        found["unsettled"] = list(paper.unsettled)
        output_file.write_text(self._data, as_text(found))
        write(paper.folder)
        return paper.folder / PAGE

    def document(self, result: Path) -> Document:
        """Tell nothing but the page itself."""
        return Document(str(result), [])

    def files(self, result: Path) -> Mapping[str, str]:
        """Give nothing: the page is written."""
        del result
        return {}

    def draw(self, result: Path, place: Path) -> None:
        """Draw nothing."""

    def ending(self, result: Path, folder: Path) -> list[str]:
        """Say where the page is."""
        del folder
        return [f"{result} written"]
