"""Experiments: what a file of one may say, and the points that it asks for."""
