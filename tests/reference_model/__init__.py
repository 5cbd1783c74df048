"""A second simulator of the drive, written from docs/model.md alone, to compare the product with."""

from reference_model.outcome import JobOutcome, Outcome, RequestOutcome
from reference_model.simulate import simulate

__all__ = ["JobOutcome", "Outcome", "RequestOutcome", "simulate"]
