"""In what the repeats of a point differ: the seed, the draw or the beginning of a trace, or arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from reclaim.bench.experiment_file import Repeats

MILLION = 1_000_000


class Perturbation(NamedTuple):
    """What is changed for one repeat."""

    text: str
    """In words; empty for repeat 0, which changes nothing."""
    settings: dict[str, str]


def rotation(repeat: int, count: int) -> str:
    """Give the share of the requests at which a repeat begins, in the whole millionths that shares have.

    >>> rotation(1, 10), rotation(1, 3)
    ('10%', '33.3333%')
    """
    millionths = round(MILLION * repeat / count)
    return f"{millionths / 10_000:.4f}".rstrip("0").rstrip(".") + "%"


def perturbation(repeats: Repeats, repeat: int, seed: int, *, generated: bool = False) -> Perturbation:
    """Say what repeat number `repeat` changes.

    >>> from reclaim.bench.experiment_file import Repeats
    >>> perturbation(Repeats(count=3), 2, 42)
    Perturbation(text='seed 44', settings={'seed': '44'})

    Args:
        repeats: what the experiment says.
        repeat: counted from 0; of `rotate` and `workload`, below twice the count.
        seed: of repeat 0.
        generated: whether the trace is, so that there are other draws of it.

    Repeats from `repeats.count` on are fresh ones: other seeds, or places in the middle between those before.
    """
    if repeat == 0:
        return Perturbation("", {})
    other = {"seed": str(seed + repeat)}
    match repeats.by:
        case "seed":
            return Perturbation(f"seed {seed + repeat}", other)
        case "workload" if generated:
            return Perturbation(f"draw {repeat} of the trace", {"trace.draw": str(repeat)})
        case "rotate" | "workload":
            share = rotation(repeat, repeats.count)
            if repeat >= repeats.count:
                share = rotation(2 * (repeat - repeats.count) + 1, 2 * repeats.count)
            return Perturbation(f"trace begins at {share}", {"trace.rotate": share})
        case "jitter":
            text = f"arrivals moved by up to {repeats.jitter}, seed {seed + repeat}"
            return Perturbation(text, {"trace.jitter": repeats.jitter} | other)
