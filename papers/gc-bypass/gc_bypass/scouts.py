"""How often scouts find a way (Table 1 of the paper on GC bypass): a figure that no sweep measures.

Table 1 does not say beside how many other circuits it was measured, nor what its N counts. Ours is the number
of output ports that a router tries for one scout, on the paper's mesh of 4 x 8 routers with a controller at
the left end of each row; visits of a router would change nothing, because a search that may come back is
complete.
"""

from __future__ import annotations

import json
import math

from reclaim import _core
from reclaim.paper.toolkit import Brought, Figure, Level, PaperFigure, Tell, exact

ROWS, COLUMNS = 4, 8
PORTS = range(1, 7)
OTHERS = 2
"""Circuits in use while the scout that counts looks for its way, in the figures that claims name."""
TRIALS: dict[Level, int] = {"quick": 20_000, "default": 200_000, "full": 2_000_000}
FLAT = 0.005
"""By how much the values of a flat line may differ: half a point."""
NORMAL_95 = 1.96


def success(others: int, ports: int, trials: int, *, seed: int = 1) -> Figure:
    """Share of scouts that find a way beside so many other circuits, with its interval of 95 %.

    >>> success(others=1, ports=3, trials=2000).value
    1.0
    """
    counted = json.loads(
        _core.scout_experiment(
            rows=ROWS,
            columns=COLUMNS,
            controllers=ROWS,
            others=others,
            ports_tried=ports,
            trials=trials,
            seed=seed,
        )
    )
    share = counted["found"] / counted["scouts"]
    half = NORMAL_95 * math.sqrt(share * (1 - share) / counted["scouts"])
    return Figure(share, share - half, share + half)


def figures(level: Level, tell: Tell) -> Brought:
    """Table 1, and its shape."""
    found: dict[str, Figure | PaperFigure] = {}
    table: dict[int, float] = {}
    for done, ports in enumerate(PORTS):
        tell("scouts", done, len(PORTS))
        figure = success(OTHERS, ports, TRIALS[level])
        table[ports] = figure.value
        found[f"success at N = {ports}"] = figure
    rises = table[1] < table[2] <= table[3] + FLAT and table[1] < table[3]
    last = [table[ports] for ports in range(3, 7)]
    found["success rises from N = 1 to 3"] = PaperFigure(
        exact(float(rises)), rule=f"it rises, from 2 to 3 to within {FLAT:.2%}"
    )
    found["success is flat from N = 3 on"] = PaperFigure(
        exact(float(max(last) - min(last) <= FLAT)), rule=f"from 3 to 6 it lies within {FLAT:.2%}"
    )
    return found
