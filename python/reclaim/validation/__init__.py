"""The simulator validated against closed forms, and against MQSim.

`run` runs the checks that `amplification`, `queueing`, `timed`, `limits` and `mqsim` list, on all cores;
`checks` says what a check is and makes rows of its runs, `drives` builds drives small enough to have a
formula, `text` writes the report. `closed_forms` has the formulas alone: they know nothing of the simulator.

>>> from reclaim.validation.checks import rows_of
>>> from reclaim.validation.limits import checks
>>> first = checks()[0]
>>> [(row.name, row.passed) for row in rows_of(first, [first.run(1, lambda *_: None)])][0]
('gc-bypass: read', True)
"""
