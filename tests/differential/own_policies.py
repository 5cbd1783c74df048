"""Policies in Python to compare with built-ins and the reference model: copied, and made at its end."""

from __future__ import annotations

import math
from ast import literal_eval
from fractions import Fraction
from typing import Any

import numpy as np

import reclaim

# What is drawn comes as text, and each policy is made where its parameters are known.
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-incomplete-defs=False
# mypy: check-untyped-defs=False, disallow-untyped-decorators=False
# ruff: noqa: ANN001, ANN201, ANN202, ANN002, ANN204

MILLION = 1_000_000


def ppm(text: str) -> int:
    """A percentage in parts per million."""
    return int(Fraction(text.removesuffix("%")) * 10_000)


def blocks(text: Any, count: int) -> int:
    """So many blocks of a plane of `count`."""
    text = str(text)
    if text.endswith("%"):
        return max(1, ppm(text) * count // MILLION)
    return int(text.split()[0])


# Twins of built-ins: each takes what the built-in is given, and the geometry.


def greedy(_given, _geometry):
    @reclaim.victim_policy
    def chosen(plane):
        return plane.blocks[plane.valid.argmin()]

    return chosen


def word_line(given, _geometry):
    weights = np.array(given["weights"])

    @reclaim.victim_policy
    def chosen(plane):
        return plane.blocks[(weights @ plane.of_level).argmin()]

    return chosen


def score(given, _geometry):
    def floor(value):
        return np.floor(value)

    @reclaim.victim_policy
    def chosen(plane):
        of_level = {f"level_{number}": row.astype(float) for number, row in enumerate(plane.of_level)}
        names = (
            of_level
            | given.get("params", {})
            | {
                "valid": plane.valid.astype(float),
                "invalid": (plane.drive.pages_per_block - plane.valid).astype(float),
                "erases": plane.erases.astype(float),
                "age": plane.age.astype(float),
                "since_sealed": plane.since_sealed.astype(float),
                "pages": float(plane.drive.pages_per_block),
                "min": np.fmin,
                "max": np.fmax,
                "pow": np.power,
                "sqrt": np.sqrt,
                "abs": np.abs,
                "floor": floor,
                "__builtins__": {},
            }
        )
        with np.errstate(all="ignore"):
            found = eval(given["score"], names)  # noqa: S307 - of few texts of our own
        return plane.blocks[np.where(np.isnan(found), math.inf, found).argmin()]

    return chosen


def free_blocks(given, geometry):
    count = geometry["blocks_per_plane"]
    start = blocks(given.get("start", "5%"), count)
    stop = blocks(given["stop"], count) if "stop" in given else start
    of_drive = given.get("of") == "drive"

    @reclaim.trigger_policy
    class Trigger:
        asked_when = ("drive",) if of_drive else ()

        def __init__(self, drive):
            self.drive = drive

        def wants(self, space):
            level = stop if space.under_way else start
            if of_drive:
                short = space.drive_free_blocks <= level * self.drive.planes
                return short and space.reclaimable_pages >= self.drive.pages_per_block
            return space.free_blocks <= level

    return Trigger


def frontier_filled(given, geometry):
    count = geometry["blocks_per_plane"]
    start = blocks(given.get("start", "5%"), count)
    host_stop = blocks(given.get("host_stop", "1 block"), count)

    @reclaim.trigger_policy
    def wants(space):
        return space.free_blocks <= (host_stop if space.under_way else start)

    return wants


def all(_given, _geometry):  # noqa: A001 - the name of the built-in
    @reclaim.concurrency_policy
    def may_start(jobs):
        return bool(len(jobs.per_channel) > jobs.channel)

    return may_start


def channels(given, geometry):
    most = max(1, ppm(given.get("share", "50%")) * geometry["channels"] // MILLION)

    @reclaim.concurrency_policy
    def may_start(jobs):
        return bool(np.count_nonzero(jobs.per_channel) < most or jobs.per_channel[jobs.channel] > 0)

    return may_start


def _places(order, geometry):
    names = {"C": "channels", "W": "chips_per_channel", "D": "dies_per_chip", "P": "planes_per_die"}
    sizes = {letter: geometry[name] for letter, name in names.items()}
    found = []
    for position in range(math.prod(sizes.values())):
        at, rest = {}, position
        for letter in order:
            rest, at[letter] = divmod(rest, sizes[letter])
        plane = 0
        for letter in "CWDP":
            plane = plane * sizes[letter] + at[letter]
        found.append(plane)
    return found


def _parts(geometry):
    unit = geometry.get("mapping_unit")
    return 1 if unit is None else int(geometry["page_size"][:-1]) // int(unit[:-1])


def striping(given, geometry):
    planes = [
        plane for plane in _places(given.get("order", "CWDP"), geometry) for _ in range(_parts(geometry))
    ]

    @reclaim.allocation_policy
    def by_page(page):
        return planes[page.logical_page % len(planes)]

    @reclaim.allocation_policy
    class Arrival:
        def __init__(self, _drive):
            self.position = 0

        def place(self, page):
            for step in range(len(planes)):
                position = (self.position + step) % len(planes)
                if page.has_room[planes[position]]:
                    self.position = (position + 1) % len(planes)
                    return planes[position]
            return None

        def save(self):
            return self.position.to_bytes(4, "little")

        def load(self, state):
            self.position = int.from_bytes(state, "little")

    return by_page if given.get("by", "lpn") == "lpn" else Arrival


def dynamic(given, geometry):  # noqa: C901 - one rule, as the page has it
    chips, per_lun = geometry["chips_per_channel"], geometry["planes_per_die"]
    together, parts = given.get("together", "page"), _parts(geometry)
    unit = parts * geometry["unit_flash_pages"]
    per_die = per_lun * (1 if geometry["dies_overlap"] else geometry["dies_per_chip"])

    @reclaim.allocation_policy
    class Dynamic:
        def __init__(self, drive):
            self.turn = []
            per_channel = drive.dies // drive.channels
            for place in range(drive.dies):
                channel, rest = place % drive.channels, place // drive.channels
                die = channel * per_channel + rest % chips * (per_channel // chips) + rest // chips
                self.turn.append(die)
            self.state = [0, [0] * drive.dies, None]

        def place(self, page):
            begun = self.state[2]
            if begun is not None:
                plane, last, pages = begun
                follows = together != "run" or page.logical_page == last + 1
                if follows and pages < (parts if together == "page" else unit) and page.has_room[plane]:
                    self.state[2] = [plane, page.logical_page, pages + 1]
                    return plane
            plane = self.least_loaded(page)
            if plane is not None:
                self.state[2] = [plane, page.logical_page, 1]
            return plane

        def least_loaded(self, page):
            best, count = None, len(self.turn)
            for step in range(count):
                place = (self.state[0] + step) % count
                first = self.turn[place] * per_die
                load = page.pending[first]
                if best is not None and load >= best[0]:
                    continue
                begin = self.state[1][self.turn[place]]
                planes = [(begin + k) % per_die for k in range(per_die)]
                roomy = [plane for plane in planes if page.has_room[first + plane]]
                if roomy:
                    best = (load, place, roomy[0])
                    if load == 0:
                        break
            if best is None:
                return None
            _, place, plane = best
            die = self.turn[place]
            self.state[0] = (place + 1) % count
            self.state[1][die] = (plane + 1) % per_die
            return die * per_die + plane

        def save(self):
            return repr(self.state).encode()

        def load(self, state):
            self.state = literal_eval(state.decode())

    return Dynamic


def dac(_given, _geometry):
    @reclaim.separation_policy
    class Dac:
        def __init__(self, _drive):
            self.region = {}

        def classify(self, pages):
            for page in pages.logical_pages:
                region = self.region.get(int(page), -1)
                moved = max(region - 1, 0) if pages.collected else min(region + 1, pages.classes - 1)
                self.region[int(page)] = moved
            return [self.region[int(page)] for page in pages.logical_pages]

        def save(self):
            return repr(self.region).encode()

        def load(self, state):
            self.region = literal_eval(state.decode())

    return Dac


def sepbit(given, _geometry):  # noqa: C901 - one rule, as the page has it
    most = given.get("lifespans", 16)

    @reclaim.separation_policy
    class SepBit:
        def __init__(self, _drive):
            self.total, self.queue, self.seen = None, 0, []

        def below(self, age, times):
            return self.total is None or age * most < times * self.total

        def classify(self, pages):
            found = [self.relocated(pages, int(age)) for age in pages.age] if pages.collected else None
            return found or self.written(pages, int(pages.age[0]))

        def relocated(self, pages, age):
            if pages.block_class == 0:
                return 0
            age = 2**32 - 1 if age < 0 else age
            return 1 if self.below(age, 4) else 2 if self.below(age, 16) else 3

        def written(self, pages, age):
            short = 0 <= age < self.queue and self.below(age, 1)
            self.queue += 1
            too_long = self.total is not None and self.queue * most > self.total
            if too_long or self.queue > pages.valid_pages:
                self.queue -= 1
                self.queue -= self.total is not None and self.queue * most > self.total
            return 0 if short else 1

        def note(self, victim):
            if victim.block_class == 0:
                self.seen.append(victim.lifespan)
            if len(self.seen) == most:
                self.total, self.seen = sum(self.seen), []

        def save(self):
            return repr((self.total, self.queue, self.seen)).encode()

        def load(self, state):
            self.total, self.queue, self.seen = literal_eval(state.decode())

    return SepBit


# Policies that no built-in equals, and that look at everything that they are shown.


def mixed(salt, *values):
    """A number that follows from all of these."""
    found = salt
    for value in values:
        found = (found * 1_000_003 + int(value)) % 2_147_483_647
    return found // 7


def _of_drive(drive):
    pages = (drive.blocks_per_plane, drive.pages_per_block, drive.logical_pages, drive.levels)
    return (drive.channels, drive.dies, drive.planes, *pages)


def some_victim(salt, _parameters):
    @reclaim.victim_policy
    class Mixed:
        def __init__(self, drive):
            self.drive = drive

        def select(self, plane):
            rows = [plane.blocks, plane.valid, plane.erases, plane.age, plane.since_sealed, *plane.of_level]
            shared = (*_of_drive(self.drive), plane.number, plane.programmed)
            worth = [mixed(salt, *shared, *column) for column in zip(*rows, strict=True)]
            return plane.blocks[int(np.argmin(worth))]

    return Mixed


def some_trigger(salt, parameters):
    @reclaim.trigger_policy
    class Mixed:
        asked_when = tuple(parameters["asked_when"])

        def __init__(self, drive):
            self.drive = drive

        def wants(self, space):
            seen = (space.plane, space.free_blocks, space.reclaimable_pages, space.under_way)
            seen += (space.drive_free_blocks, space.channel_idle, space.host_waits)
            return (
                space.free_blocks <= parameters["most"] and mixed(salt, *_of_drive(self.drive), *seen) % 3 > 0
            )

    return Mixed


def some_concurrency(salt, parameters):
    class Mixed:
        def __init__(self, drive):
            self.drive = drive
            self.noted = 0

        def may_start(self, jobs):
            seen = (jobs.plane, jobs.channel, jobs.used_pages, jobs.valid_pages, jobs.channel_idle)
            if hasattr(self, "limit"):
                limit, active = self.limit(jobs), np.count_nonzero(jobs.per_channel)
                if limit == 0 or (jobs.per_channel[jobs.channel] == 0 and active >= limit):
                    return False
            return mixed(salt, *_of_drive(self.drive), *seen, *jobs.per_channel, self.noted) % 3 > 0

    class Limited(Mixed):
        def limit(self, seen):
            return mixed(salt + 1, seen.used_pages, seen.valid_pages, *seen.per_channel) % 4

    def note(self, seen):
        self.noted = mixed(self.noted, seen.used_pages, seen.valid_pages, seen.drained, *seen.per_channel)

    def save(self):
        return str(self.noted).encode()

    def load(self, state):
        self.noted = int(state)

    chosen = Limited if parameters["limit"] else Mixed
    if parameters["note"]:
        chosen = type("Noting", (chosen,), {"note": note, "save": save, "load": load})
    return reclaim.concurrency_policy(chosen)


def some_allocation(salt, parameters):
    @reclaim.allocation_policy
    def place(page):
        if parameters["by_page"]:
            return page.logical_page % page.drive.planes
        roomy = np.flatnonzero(page.has_room)
        seen = mixed(salt, *_of_drive(page.drive), page.logical_page, *page.pending, *page.has_room)
        if len(roomy) == 0 or (page.pending.any() and seen % 8 == 0):
            return None
        return int(roomy[seen // 8 % len(roomy)])

    return place


def some_separation(salt, _parameters):
    @reclaim.separation_policy
    class Mixed:
        def __init__(self, drive):
            self.drive = drive
            self.noted = 0

        def classify(self, pages):
            shared = [*_of_drive(self.drive), pages.collected, self.noted]
            shared += [
                -1 if each is None else each for each in (pages.stream, pages.valid_pages, pages.block_class)
            ]
            rows = zip(pages.logical_pages, pages.age, pages.last_class, strict=True)
            return [mixed(salt, *shared, *row) % pages.classes for row in rows]

        def note(self, victim):
            self.noted = mixed(self.noted, victim.block_class, victim.lifespan)

        def save(self):
            return str(self.noted).encode()

        def load(self, state):
            self.noted = int(state)

    return Mixed
