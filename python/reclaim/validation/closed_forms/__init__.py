"""Closed forms that a simulation must meet, with their sources.

`amplification` has write amplification, `queueing` has waiting times, `channel` has unloaded latencies and
bandwidth. Nothing here knows the simulator: the formulas are for checking it, or for estimates without it.
`reclaim validate` compares the two.

>>> from reclaim.validation import closed_forms
>>> round(closed_forms.amplification.greedy(0.10, pages_per_block=64), 3)
4.821
>>> round(closed_forms.queueing.md1_response(service=79.1, load=0.5), 2)
118.65
"""

from reclaim.validation.closed_forms import amplification, channel, queueing

__all__ = ["amplification", "channel", "queueing"]
