"""What a run measured, and every way to show it.

`result` is a run's results file as an object, `stats` and `verdict` are typed views of parts of it; `table`,
`plots` and `report` draw several runs beside one another, in the terminal and as one HTML page. Everything
here is read from JSON: neither the trace nor the drive is needed.
"""
