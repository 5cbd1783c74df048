"""What else is read and written when a page is written: `redundancy` (docs/model.md, section 16)."""
