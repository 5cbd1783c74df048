"""Tuning: parameters of a scheme are searched on some runs, and what is found is judged on others."""
