"""Bad inputs of every kind and what Reclaim answers; `answers.md` is the table of answers."""
