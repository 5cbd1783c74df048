"""Write amplification of page-mapped drives under random writes.

The model of all formulas: T physical pages of which the host uses U, all of them written; one open block
shared by the host and the collector; when free blocks run out, one block at a time is collected. The *spare
factor* is Sf = (T - U) / T. Over-provisioning, (T - U) / U, is another number: `spare_factor_of`. A real
drive keeps some blocks free and some half written, which the formulas do not know: put
`effective_spare_factor` into them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def spare_factor_of(over_provisioning: float) -> float:
    """Spare factor (T - U) / T of an over-provisioning (T - U) / U.

    >>> round(spare_factor_of(0.25), 3)
    0.2
    """
    return over_provisioning / (1 + over_provisioning)


def effective_spare_factor(
    *, logical_pages: int, blocks: int, pages_per_block: int, reserve_blocks: float
) -> float:
    """Spare factor that is left when `reserve_blocks` hold neither data nor anything to reclaim.

    The reserve is what is erased or not yet written, on average: free blocks kept by the trigger, and the
    unwritten part of open blocks. 1 - U / ((blocks - reserve) * pages per block).

    >>> round(effective_spare_factor(logical_pages=900, blocks=100, pages_per_block=10, reserve_blocks=2), 4)
    0.0816
    """
    return 1 - logical_pages / ((blocks - reserve_blocks) * pages_per_block)


def in_bytes(amplification: float, *, page_bytes: int, request_bytes: int) -> float:
    """Bytes programmed over bytes written, where pages have this amplification.

    Every request writes `request_bytes` from the beginning of a page, or inside one page. A page that is
    written in part is programmed whole, so each request takes as many pages as it touches.

    >>> in_bytes(2.9, page_bytes=16384, request_bytes=4096)
    11.6
    >>> in_bytes(3.0, page_bytes=4096, request_bytes=6144)
    4.0
    """
    return amplification * math.ceil(request_bytes / page_bytes) * page_bytes / request_bytes


def lambert_w(x: float) -> float:
    """Principal branch of Lambert's W for -1/e <= x < 0: the w >= -1 with w exp(w) = x. Halley's method.

    >>> w = lambert_w(-0.25)
    >>> round(w * math.exp(w), 12)
    -0.25
    """
    if not -1 / math.e - 1e-15 <= x < 0:
        raise ValueError(f"lambert_w({x}): must be from -1/e to 0")
    x = max(x, -1 / math.e)
    w = -1 + math.sqrt(max(0.0, 2 * (math.e * x + 1))) if x < -0.25 else x
    for _ in range(100):
        if w <= -1:
            return -1.0
        power = math.exp(w)
        off = w * power - x
        step = off / (power * (w + 1) - (w + 2) * off / (2 * w + 2))
        w -= step
        if abs(step) < 1e-15 * (1 + abs(w)):
            break
    return w


def fifo(spare_factor: float) -> float:
    """FIFO (LRU, circular log) victims, uniform writes; the same for every block size.

    Desnoyers, SYSTOR 2012; the same as Xiang and Kurkoski, arXiv 1110.4245: with alpha = T / U,
    alpha / (alpha + W(-alpha e^-alpha)).

    >>> round(fifo(0.10), 3)
    5.179
    """
    alpha = 1 / (1 - spare_factor)
    return alpha / (alpha + lambert_w(-alpha * math.exp(-alpha)))


def fifo_classes(spare_factor: float, classes: Sequence[tuple[float, float]]) -> float:
    """FIFO victims when classes of pages are written at different rates into one shared open block.

    `classes` holds (share of the data, share of the writes). A page of class c survives a turn of the log
    with probability exp(-r_c / (A f_c rho)), hence A = sum of r_c / (1 - exp(-r_c / (A f_c rho))): its
    largest root. One class gives `fifo`.

    >>> round(fifo_classes(0.10, [(0.2, 0.8), (0.8, 0.2)]), 3)
    5.538
    >>> abs(fifo_classes(0.10, [(1.0, 1.0)]) - fifo(0.10)) < 1e-9
    True
    """
    occupied = 1 - spare_factor

    def excess(amplification: float) -> float:
        written = (r / -math.expm1(-r / (amplification * f * occupied)) for f, r in classes)
        return sum(written) - amplification

    low, high = 1 + 1e-9, 1e5
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def random_victim(spare_factor: float) -> float:
    """Victims drawn at random: 1 / Sf, for every block size and every skew of the writes.

    Van Houdt, SIGMETRICS 2013 (d-choices with d = 1).

    >>> random_victim(0.10)
    10.0
    """
    return 1 / spare_factor


def agarwal_marrow(spare_factor: float) -> float:
    """Greedy victims if valid counts were spread evenly: (1 + OP) / (2 OP). Too low for much spare space.

    Agarwal and Marrow, GLOBECOM Workshops 2010. For comparison; nothing is validated against it.

    >>> round(agarwal_marrow(0.10), 3)
    5.0
    """
    over_provisioning = spare_factor / (1 - spare_factor)
    return (1 + over_provisioning) / (2 * over_provisioning)


def greedy_desnoyers(spare_factor: float, pages_per_block: int) -> float:
    """Greedy victims in closed form; up to 1 % low for small blocks and little spare space: prefer `greedy`.

    Desnoyers, ACM TOS 10(2), 2014: k = alpha (1 + 1 / 2b), X0 = 1/2 - (b / alpha) W(-k e^-k),
    A = b / (b - X0 + 1).

    >>> round(greedy_desnoyers(0.10, 64), 3)
    4.816
    """
    alpha = 1 / (1 - spare_factor)
    k = (1 + 1 / (2 * pages_per_block)) * alpha
    fewest = 0.5 - pages_per_block / alpha * lambert_w(-k * math.exp(-k))
    return pages_per_block / (pages_per_block - (fewest - 1))


def greedy(spare_factor: float, pages_per_block: int) -> float:
    """Greedy victims: the mean field of `d_choices` with d to infinity.

    >>> round(greedy(0.20, 64), 3), round(greedy(0.20, 256), 3)
    (2.599, 2.668)
    """
    return d_choices(spare_factor, pages_per_block, math.inf)


def d_choices(spare_factor: float, pages_per_block: int, d: float) -> float:
    """Of d blocks drawn at random, the one with the fewest valid pages; exact for many blocks.

    Van Houdt, SIGMETRICS 2013. With s_i the share of blocks that have at least i valid pages and E the host
    writes per collected block: 1 - s_i^d = (E i / (rho b)) (s_i - s_{i+1}), the s_i add up to rho b, and
    A = b / E.

    >>> [round(d_choices(0.10, 64, d), 3) for d in (10, 2, 1)]
    [5.0, 6.852, 10.0]
    """
    valid = (1 - spare_factor) * pages_per_block
    low, high = 1e-9, float(pages_per_block)
    while high - low > 1e-12 * pages_per_block:
        writes = (low + high) / 2
        # More host writes per collection leave fewer pages valid.
        if _valid_pages(writes, valid, pages_per_block, d) > valid:
            low = writes
        else:
            high = writes
    return 2 * pages_per_block / (low + high)


def _valid_pages(writes: float, valid: float, pages_per_block: int, d: float) -> float:
    """Mean valid pages of a block, if `writes` host writes come between two collections."""
    above = total = 0.0
    for i in range(pages_per_block, 0, -1):
        slope = writes * i / valid
        above = min(1.0, above + 1 / slope) if math.isinf(d) else _root(slope, above, d)
        total += above
    return total


def _root(slope: float, above: float, d: float) -> float:
    """The s with 1 - s^d = slope (s - above): concave and falling, so Newton from 1 comes down on it."""
    s = 1.0
    for _ in range(100):
        power = s ** (d - 1)
        step = (1 - s * power - slope * (s - above)) / (d * power + slope)
        s += step
        if abs(step) < 1e-15:
            break
    return s


def in_use(trim_share: float) -> float:
    """Share of the addresses that hold data, when a share of the requests trims one of those at random.

    The rest of the requests write an address drawn from all. (1 - 2q) / (1 - q): Frankie, Hughes and Kreutz-
    Delgado, arXiv 1208.1794. Write amplification is that of a drive with so much less data (`with_trims`).

    >>> round(in_use(0.1), 4)
    0.8889
    """
    return (1 - 2 * trim_share) / (1 - trim_share)


def with_trims(spare_factor: float, trim_share: float) -> float:
    """Spare factor to put into a formula when a share of the requests are trims.

    >>> round(greedy(with_trims(0.07, 0.10), 64), 3)
    2.95
    """
    return 1 - (1 - spare_factor) * in_use(trim_share)
