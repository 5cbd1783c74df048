"""Reproducing papers: what they print, what we measure in its place, and how far both agree."""
