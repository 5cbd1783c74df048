"""Papers whose evaluations this project repeats, one package each."""
