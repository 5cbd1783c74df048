"""Charts as files of their own, beside the page that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import vl_convert

from reclaim import encoding, limits, output_file
from reclaim.charts import vega_lite_version

PIXELS_PER_INCH = 144


def picture(spec: dict[str, Any], picture_format: str = "png") -> bytes:
    """A chart, by its Vega-Lite specification, as the bytes of a file: `png`, `svg` or `pdf`."""
    version, spec = vega_lite_version(), _visible(spec)
    if picture_format == "svg":
        return vl_convert.vegalite_to_svg(spec, vl_version=version).encode()
    if picture_format == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=version)
    return vl_convert.vegalite_to_png(spec, vl_version=version, ppi=PIXELS_PER_INCH)


def _visible(part: Any) -> Any:
    """A specification without hidden letters: at a control, the library ends the whole process."""
    if isinstance(part, str):
        return encoding.visible(part)
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    return [*map(_visible, part)] if isinstance(part, list) else part


def write_pngs(specs: Mapping[str, dict[str, Any]], folder: Path) -> None:
    """Write charts as PNG, by the names of their files; none under a limit of memory that is too low.

    Raises:
        InputError: if one cannot be written.
    """
    if not limits.has(limits.PICTURES):
        return
    for name, spec in specs.items():
        with output_file.whole(folder / f"{name}.png") as partial:
            partial.write_bytes(picture(spec))
