"""Results that others measured on real drives, predicted."""
