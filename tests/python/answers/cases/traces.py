"""Traces that are damaged, packed wrongly, of another kind, or no files at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile

from answers.case import TRACE, Case, fifo, link, sparse

HEADER = "time_us,op,offset_bytes,size_bytes\n"
GOOD = HEADER + "0,write,0,4096\n"
INFO = "trace info x"
LISTED = 40
"""Lines of the list of formats, each with an example."""
PACKED = gzip.compress(TRACE.encode(), mtime=0)


def lines(*rows: str) -> str:
    """A table with these rows."""
    return HEADER + "".join(f"{row}\n" for row in rows)


def _archive() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("t.csv")
        entry.size = len(TRACE)
        archive.addfile(entry, io.BytesIO(TRACE.encode()))
    return file.getvalue()


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


FILES = [
    Case("missing", "trace info tt.csv", says=("tt.csv: no such file", "did you mean t.csv")),
    Case("a folder", "trace info kept", says="kept: is a directory"),
    Case("a pipe", INFO, files={"x": fifo}, says="not a regular file"),
    Case("a device that never ends", "trace info /dev/zero", says="not a regular file"),
    Case("nothing at all", "trace info /dev/null", says="not a regular file"),
    Case("below a file", "trace info t.csv/x", says="t.csv/x"),
    Case("link to itself", INFO, files={"x": link("x")}, says="x"),
    Case(
        "link to nothing",
        INFO,
        files={"x": link("gone.csv")},
        says="is a link to gone.csv, which is not there",
    ),
    Case("name too long", f"trace info {'n' * 300}.csv", says="too long"),
    Case("empty name", ["trace", "info", ""], says="TRACE: is empty"),
    Case("name with a line break", ["trace", "info", "two\nlines.csv"], says="no such file", lines=2),
    Case("name that is no text", ["trace", "info", "\udcff.csv"], says="no such file"),
    Case("name of a public set", "trace info msr/hm_0", says="hm_0", lines=LISTED),
    Case("name of the catalogue misspelt", "trace info bundled/sqlit", says="sqlite"),
    Case("standard input", "trace info -", says="-"),
    Case("a state of a drive", INFO, files={"x": b"RECLAIM\0" + bytes(200)}, says="x: ", lines=LISTED),
    Case("a device file", "trace info d.toml", says="d.toml: is a device file, not a trace"),
    Case("an executable", "trace info /bin/true", says="binary", lines=LISTED),
    Case(
        "a web page",
        INFO,
        files={"x": "<!doctype html>\n<title>404</title>\n"},
        says="is a web page, not a trace",
    ),
    Case(
        "results", INFO, files={"x": '{"format": 7, "device": "d"}\n'}, says="is a results file, not a trace"
    ),
]
"""What is not a trace at all."""

PACKING = [
    Case("empty", INFO, files={"x": b""}, says="is empty"),
    Case("empty inside gzip", INFO, files={"x": gzip.compress(b"", mtime=0)}, says="empty"),
    Case("gzip cut", INFO, files={"x": PACKED[: len(PACKED) // 2]}, says="gzip data ends before"),
    Case("gzip cut in its head", INFO, files={"x": PACKED[:5]}, says="gzip"),
    Case("gzip with a wrong sum", INFO, files={"x": _flipped(PACKED, len(PACKED) - 6)}, says="gzip"),
    Case("gzip with dirt behind it", INFO, files={"x": PACKED + b"dirt"}, says="gzip"),
    Case("bzip2 cut", INFO, files={"x": bz2.compress(TRACE.encode())[:-20]}, says="bzip2 data ends before"),
    Case("bzip2 damaged", INFO, files={"x": _flipped(bz2.compress(TRACE.encode()), 60)}, says="bzip2"),
    Case("xz cut", INFO, files={"x": lzma.compress(TRACE.encode())[:-30]}, says="xz data ends before"),
    Case("xz damaged", INFO, files={"x": _flipped(lzma.compress(TRACE.encode()), 90)}, says="xz"),
    Case(
        "zstd with nothing behind its mark",
        INFO,
        files={"x": b"\x28\xb5\x2f\xfd"},
        says="x: the zstd data ends before its end mark",
        lines=LISTED,
    ),
    Case("packed twice", INFO, files={"x": gzip.compress(PACKED, mtime=0)}, says="x: ", lines=LISTED),
    Case("tar archive", INFO, files={"x": _archive()}, says="is a tar archive"),
    Case("tar archive in gzip", INFO, files={"x": gzip.compress(_archive(), mtime=0)}, says="tar"),
    Case("zip archive", INFO, files={"x": b"PK\x03\x04" + bytes(60)}, says="ZIP"),
    Case(
        "a pointer of git-LFS",
        INFO,
        files={"x": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"},
        says="git-LFS pointer",
    ),
    Case("packed, called text", "trace info x.csv --format csv", files={"x.csv": PACKED}, code=0),
    Case("text, called packed", "trace info x.csv.gz", files={"x.csv.gz": TRACE}, code=0),
]
"""Compressions and archives."""

TEXTS = [
    Case("UTF-16", INFO, files={"x": TRACE.encode("utf-16")}, says="UTF-16"),
    Case("Latin-1", INFO, files={"x": GOOD.encode() + b"1,\xe9crire,0,4096\n"}, says=":3:"),
    Case("a null in a line", INFO, files={"x": GOOD.encode() + b"1,write\0,0,4096\n"}, says=":3:"),
    Case("holes of nulls", INFO, files={"x": sparse(1 << 20)}, says="x: ", lines=LISTED),
    Case("an endless line", INFO, files={"x": GOOD + "9" * 300_000 + "\n"}, says="longer than"),
    Case("old Mac line ends", INFO, files={"x": TRACE.replace("\n", "\r")}, says="x"),
    Case("header only", INFO, files={"x": HEADER}, says="no requests"),
    Case(
        "another header",
        INFO,
        files={"x": GOOD.replace("time_us", "time_ms")},
        says="--columns",
        lines=LISTED,
    ),
    Case("header twice", INFO, files={"x": GOOD + HEADER}, says=":3:"),
    Case("semicolons", INFO, files={"x": TRACE.replace(",", ";")}, says="--columns", lines=LISTED),
    Case("infinite time", INFO, files={"x": lines("inf,write,0,4096")}, says=":2:"),
    Case("time is no number", INFO, files={"x": lines("NaN,write,0,4096")}, says=":2:"),
    Case("negative time", INFO, files={"x": lines("-1,write,0,4096")}, says="negative"),
    Case("size of half a byte", INFO, files={"x": lines("0,write,0,0.5")}, says=":2:"),
    Case("exponent", INFO, files={"x": lines("0,write,1e3,4096")}, says=":2:"),
    Case("address beyond 64 bits", INFO, files={"x": lines(f"0,write,{1 << 64},4096")}, says="64 bits"),
    Case("end beyond 64 bits", INFO, files={"x": lines(f"0,write,{(1 << 64) - 1},4096")}, says="64 bits"),
    Case("time beyond 64 bits of ns", INFO, files={"x": lines(f"{1 << 60},write,0,4096")}, says="64 bits"),
    Case("size beyond one request", INFO, files={"x": lines(f"0,write,0,{1 << 40}")}, says="more than one"),
    Case("flush with an address", INFO, files={"x": lines("0,flush,4096,0")}, says="a flush addresses"),
    Case("unknown operation", INFO, files={"x": lines("0,wriet,0,4096")}, says=("wriet", "write")),
    Case("time goes backwards", INFO, files={"x": lines("9,read,0,1", "8,read,0,1")}, says="--sort"),
    Case(
        "only bad lines, reported",
        f"{INFO} --on-error report",
        files={"x": lines("a,b,c,d", "e,f,g,h")},
        says="x",
    ),
    Case(
        "one bad line, reported",
        f"{INFO} --on-error report",
        files={"x": lines("0,read,0,1", "what")},
        says="what",
        code=0,
    ),
    Case("alien digits", INFO, files={"x": lines("٣,write,0,4096")}, says=":2:"),
]
"""Texts that are nearly traces."""

OTHERS = [
    Case("blktrace cut", INFO, files={"x": b"\x07\x61\x66\x65"[::-1] + bytes(20)}, says="x", lines=LISTED),
    Case("Parquet cut", INFO, files={"x": b"PAR1" + bytes(40)}, says="x"),
    Case("Parquet of only its marks", INFO, files={"x": b"PAR1PAR1"}, says="x"),
    Case("Arrow cut", INFO, files={"x": b"ARROW1\0\0" + bytes(8)}, says="x"),
    Case(
        "two devices",
        INFO,
        files={"x": "128166372003061629,hm,0,Read,0,512,1\n128166372003061630,hm,1,Read,0,512,1\n"},
        says="--trace-device",
    ),
    Case(
        "sizes of pages",
        INFO,
        files={"x": "".join(f"{k}.5 0 {8 * k} {1 + k % 3} 0\n" for k in range(40))},
        says="pages",
    ),
    Case(
        "another format than it is",
        "trace info t.csv --format msr",
        says=("t.csv", "128166372003061629"),
    ),
    Case(
        "a column less than named",
        "trace info x --columns time:us,op,offset:bytes,size:bytes,device",
        files={"x": "0,write,0,4096\n"},
        says=":1:",
    ),
]
"""Other formats."""

CASES = [*FILES, *PACKING, *TEXTS, *OTHERS]
