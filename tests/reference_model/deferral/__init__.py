"""Writes that leave chips about to be collected: `gc.deferral` (docs/model.md, section 17)."""
