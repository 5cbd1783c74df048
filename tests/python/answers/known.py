"""Cases whose answer is not yet good, each with the reason: no other may fail, and none of these may pass.

Who mends one takes its line away and renews the table of answers.
"""

from __future__ import annotations

KNOWN: dict[str, str] = {}
