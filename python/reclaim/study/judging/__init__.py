"""Judging: a policy on a suite of workloads, beside what others have reached there."""
