"""Statistics of repeats: the interval of a median, and what chance does among many comparisons at once."""
