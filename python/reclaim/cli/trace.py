"""`reclaim trace`: look into traces, make them, record them."""

from __future__ import annotations

import reclaim
from reclaim.cli import (
    options,
    streams,
    trace_convert,
    trace_generate,
    trace_info,
    trace_list,
    trace_record,
    trace_synthesize,
)
from reclaim.cli.commands import Commands
from reclaim.cli.console import listing, out

app = Commands(no_args_is_help=True, help="Look into, make and record traces.")


@app.callback()
def group() -> None:
    """Look into, make and record traces."""


app.command("info")(trace_info.info)
app.command("generate")(trace_generate.generate)
app.command("synthesize")(trace_synthesize.synthesize)
app.command("volumes")(trace_info.volumes)
app.command("list")(trace_list.list_)
app.command("record")(trace_record.record)
app.command("convert")(trace_convert.convert)


@app.command()
def formats(json: options.Json = False) -> None:
    """List the trace formats that can be read, each with a sample line."""
    if json:
        streams.write_json(reclaim.formats())
        return
    out.print(listing(reclaim.formats()))
