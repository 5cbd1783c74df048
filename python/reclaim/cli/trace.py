"""`reclaim trace`: look into traces, make them, record them."""

from __future__ import annotations

import reclaim
from reclaim.cli import (
    trace_convert,
    trace_generate,
    trace_info,
    trace_list,
    trace_record,
    trace_stand_ins,
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
app.command("stand-ins")(trace_stand_ins.stand_ins)
app.command("list")(trace_list.list_)
app.command("record")(trace_record.record)
app.command("convert")(trace_convert.convert)


@app.command()
def formats() -> None:
    """List the trace formats that can be read, each with a sample line."""
    out.print(listing(reclaim.formats()))
