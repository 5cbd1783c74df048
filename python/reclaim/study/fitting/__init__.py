"""Unknowns of a drive, solved from the published figures of its sheet."""
