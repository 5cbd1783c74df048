"""Reclaim against the reference model: both must agree to the nanosecond on random drives and traces."""

from differential import rules

rules.install()
