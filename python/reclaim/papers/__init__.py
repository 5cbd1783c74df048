"""Reproducing papers: what they print, what we measure in its place, and a verdict on each claim."""
