"""A first look: a drive, a recording, a policy of one's own, and repeats with intervals.

marimo edit examples/notebooks/first_look.py     in a browser
python examples/notebooks/first_look.py          every cell, once
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    from pathlib import Path
    from tempfile import mkdtemp

    import marimo as mo

    import reclaim

    return Path, mkdtemp, mo, reclaim


@app.cell
def _(mo):
    mo.md(
        """
        # What collection costs, and who chooses the victims

        A recording of a file server is played on a small drive, once for each victim policy. The last is
        a function of this notebook: it sees the full blocks of a plane as NumPy arrays, and returns one.
        """
    )


@app.cell
def _(reclaim):
    @reclaim.victim_policy
    def old_and_empty(plane):
        worth = plane.age * (plane.drive.pages_per_block - plane.valid) / (2 * plane.valid + 1)
        return plane.blocks[worth.argmax()]

    return (old_and_empty,)


@app.cell
def _(old_and_empty, reclaim):
    drive = reclaim.Device("small").set("host.time_scale", 0.5)
    trace = reclaim.open_trace("bundled/dbench")
    drives = {
        "greedy": drive,
        "cost-benefit": drive.with_scheme("cost-benefit"),
        "mine": drive.set("gc.victim", old_and_empty),
    }
    results = {
        name: reclaim.simulate(each, trace, warmup="workload", remap="compact", warn=False)
        for name, each in drives.items()
    }
    return (results,)


@app.cell
def _(mo, results):
    rows = [
        {
            "victims": name,
            "write amplification": round(result.nand_write_amplification, 3),
            "write p99, ms": round(result.write.latency.percentile(99) / 1e6, 3),
            "verdict": result.verdict.level,
        }
        for name, result in results.items()
    ]
    mo.ui.table(rows, selection=None)
    return (rows,)


@app.cell
def _(mo):
    mo.md(
        """
        One run of each is no comparison: another beginning of the recording may turn it. Six beginnings give
        the median ratio an interval, and an interval that holds 1 shows no difference.
        """
    )


@app.cell
def _(Path, mkdtemp, reclaim):
    experiment = reclaim.Experiment.from_dict(
        {
            "name": "first-look",
            "devices": ["small"],
            "traces": [{"name": "dbench", "source": "bundled/dbench"}],
            "schemes": ["greedy", "cost-benefit"],
            "set": {"trace.remap": "compact", "warmup.kind": "workload", "host.time_scale": 0.5},
            "repeats": {"count": 6, "by": "rotate"},
            "comparisons": [{"scheme": "cost-benefit", "to": "greedy"}],
        }
    )
    points = reclaim.sweep(experiment, Path(mkdtemp()) / "first-look")
    return (points,)


@app.cell
def _(mo, points):
    mo.vstack([mo.ui.table(points.comparisons(), selection=None), points.plot.cdf()])


if __name__ == "__main__":
    app.run()
