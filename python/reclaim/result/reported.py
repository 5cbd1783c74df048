"""What tables, figures and reports need of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from reclaim.result.verdict import Verdict


class ArrowStream(Protocol):
    """A table any Arrow consumer reads: `polars.DataFrame(table)`, `pyarrow.table(table)`, duckdb."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand over the table as an Arrow C stream."""
        ...


class Reported(Protocol):
    """A run that can be shown beside others; `Result` is one."""

    @property
    def label(self) -> str:
        """Name to tell this run from others."""
        ...

    @property
    def repeats(self) -> Sequence[Reported]:
        """The runs that it is of: itself, or repeats that are shown as one."""
        ...

    @property
    def config_toml(self) -> str | None:
        """The resolved configuration as TOML; None where only the results are known."""
        ...

    @property
    def command(self) -> str | None:
        """The command that ran it, as a line for a shell; None for a run from Python."""
        ...

    @property
    def nand_write_amplification(self) -> float | None:
        """Bytes programmed per byte the host wrote; None if it wrote nothing, or results are older."""
        ...

    @property
    def write_amplification(self) -> float | None:
        """Pages programmed per page the host wrote; None if it wrote nothing."""
        ...

    @property
    def verdict(self) -> Verdict:
        """How far the numbers can be trusted."""
        ...

    @property
    def timeline(self) -> ArrowStream | None:
        """One row per interval of simulated time; None if it was not recorded."""
        ...

    @property
    def spans(self) -> ArrowStream | None:
        """One row for everything that lasted; None if it was not recorded."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The whole results file as nested dictionaries."""
        ...
