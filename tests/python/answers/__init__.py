"""Bad inputs of every kind: what Reclaim must name in its answer, its exit code, and that no file is lost."""
