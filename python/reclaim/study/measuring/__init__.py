"""What a drive reaches: a matrix of loads, fresh and in the steady state, beside a data sheet."""
