"""Block traces, before any drive plays them.

`trace` is a trace and what can be asked of it, `opening` finds and opens files, `transforms` writes down what
is done to a trace on its way, `catalogue` knows traces by name, `generate` makes them from descriptions,
`synthesis` makes stand-ins from figures, `record` records the requests of a command; `table`, `plots` and
`report` show what a trace is like. Nothing here knows a drive.
"""
