"""Random streams (docs/model.md, section 6)."""

from __future__ import annotations

M32, M64, M128 = 2**32 - 1, 2**64 - 1, 2**128 - 1


def fnv1a(name: str) -> int:
    """FNV-1a, 64 bits."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = ((h ^ byte) * 0x100000001B3) & M64
    return h


def seeded_state(seed: int, name: str) -> int:
    """6.2."""
    x, state = (seed ^ fnv1a(name)) & M64, 0
    for word in range(4):
        x = (x * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) & M64
        bits, rot = (((x >> 18) ^ x) >> 27) & M32, x >> 59
        state |= (((bits >> rot) | (bits << (32 - rot))) & M32) << (32 * word)
    return state | 1


class Stream:
    """A named stream of draws (6.3)."""

    def __init__(self, seed: int, name: str) -> None:
        self.state = seeded_state(seed, name)

    def next_u32(self) -> int:
        """Return the low half of the generator's output."""
        self.state = (self.state * 0x2360ED051FC65DA44385DF649FCCF645) & M128
        rot, x = self.state >> 122, ((self.state >> 64) ^ self.state) & M64
        return ((x >> rot) | (x << (64 - rot))) & M32

    def below(self, bound: int) -> int:
        """Return a whole number in 0 … bound - 1."""
        product = self.next_u32() * bound
        result, low = product >> 32, product & M32
        if low > 2**32 - bound:
            result += (low + (self.next_u32() * bound >> 32)) >> 32
        return result
