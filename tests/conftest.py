"""What is imported of the reference model before `differential` has no marks of its rules."""

import differential  # noqa: F401
