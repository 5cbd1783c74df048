"""`python -m reclaim`."""

from reclaim.cli import main

main()
