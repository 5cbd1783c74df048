"""All commands, put together."""

from reclaim.cli.assembly import put_together

app = put_together()
