"""Instruments: what many variants of an experiment tell of a comparison that the experiment makes."""
