"""Files that are no traces, and traces that are damaged: what the readers' own tests do not see of them."""

from __future__ import annotations

import gzip

from answers.case import TRACE, Case, link

INFO = "trace info x"
LISTED = 44
"""Lines of the list of formats, each with an example."""
HEADER = "time_us,op,offset_bytes,size_bytes\n"
PACKED = gzip.compress(TRACE.encode(), mtime=0)


def of(name: str, content: str | bytes, *says: str, options: str = "", code: int = 2, lines: int = 3) -> Case:
    """A case of a file that is called x."""
    return Case(name, f"{INFO} {options}", says, files={"x": content}, code=code, lines=lines)


FILES = [
    Case("missing", "trace info tt.csv", ("tt.csv: no such file", "did you mean t.csv")),
    Case("link to itself", INFO, "x", files={"x": link("x")}),
    Case("link to nothing", INFO, "is a link to gone.csv, which is not there", files={"x": link("gone.csv")}),
    Case("empty name", ["trace", "info", ""], "TRACE: is empty"),
    Case("name with a line break", ["trace", "info", "two\nlines.csv"], "no such file", lines=2),
    Case("name that is no text", ["trace", "info", "\udcff.csv"], "no such file"),
    Case("name of a public set", "trace info msr/hm_0", "hm_0", lines=LISTED),
    Case("name of the catalogue misspelt", "trace info bundled/sqlit", "sqlite"),
    Case("standard input", "trace info -", "-"),
    Case("a device file", "trace info d.toml", "d.toml: is a device file, not a trace"),
    of("a state of a drive", b"RECLAIM\0" + bytes(200), "x: ", lines=LISTED),
    of("results", '{"format": 7, "device": "d"}\n', "is a results file, not a trace"),
]
"""What is not a trace at all."""

CONTENTS = [
    of("gzip cut", PACKED[: len(PACKED) // 2], "gzip data ends before"),
    of("packed twice", gzip.compress(PACKED, mtime=0), "x: ", lines=LISTED),
    of("packed, called text", PACKED, options="--format csv", code=0),
    Case("text, called packed", "trace info x.csv.gz", files={"x.csv.gz": TRACE}, code=0),
    of("Parquet cut", b"PAR1" + bytes(40), "x"),
    of("an endless line", HEADER + "9" * 300_000 + "\n", "longer than"),
    of("header only", HEADER, "no requests"),
    of("header twice", HEADER + "0,write,0,4096\n" + HEADER, ":3:"),
    of("time goes backwards", HEADER + "9,read,0,1\n8,read,0,1\n", "--sort"),
    of("only bad lines, reported", HEADER + "a,b,c,d\ne,f,g,h\n", "x", options="--on-error report"),
    of("one bad line, reported", HEADER + "0,read,0,1\nwhat\n", "what", options="--on-error report", code=0),
    Case("another format than it is", "trace info t.csv --format msr", ("t.csv", "128166372003061629")),
]
"""Texts and archives that are nearly traces."""

CASES = [*FILES, *CONTENTS]
