"""What docs/performance.md says of speed is what benches have stored."""

from pathlib import Path

import speed_tables

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


def test_the_tables_of_the_page_are_those_of_the_stored_figures() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [*speed_tables.without_time(), *speed_tables.beside_mqsim(), *speed_tables.instructions()]
    assert len(rows) == 8
    assert not [row for row in rows if row not in page], "python tools/speed_tables.py"
