"""Closed forms that a simulation must meet, with their sources.

`amplification` has write amplification, `queueing` has waiting times, `wires` has unloaded latencies and
bandwidth. Nothing here knows the simulator: the formulas are for checking it, or for estimates without it.
`reclaim validate` holds one against the other.

>>> from reclaim import oracles
>>> round(oracles.amplification.greedy(0.10, pages_per_block=64), 3)
4.821
>>> round(oracles.queueing.md1_response(service=79.1, load=0.5), 2)
118.65
"""

from reclaim.oracles import amplification, queueing, wires

__all__ = ["amplification", "queueing", "wires"]
