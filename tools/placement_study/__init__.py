"""The study of data placement: its loads, its figures, its picture and docs/placement.md."""
