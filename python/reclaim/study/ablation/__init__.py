"""Ablation: which of the settings in which two schemes differ makes what changes from one to the other."""
