"""Alternatives of keys: each can be set on some drive that ships, and none is the value that is there."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import pytest

import own_policies
import reclaim
from reclaim.errors import InputError
from reclaim.study.sensitivity.alternatives import AlternativeKey, choices, scaled

VICTIMS = next(kind["policies"] for kind in reclaim.catalogue() if kind["key"] == "gc.victim")
SCHEMES = (
    "",
    *("adaptive", "conv-0.7-halfch", "coupledcb", "pcgc", "copyback", "buffered", "gc-bypass", "venice"),
    *("smartnetssd", "mesh", "nossd", "pnssd", "pssd", "raid5", "dgc", "reads-first", "first-come"),
    *("wear-levelling", "suspend", "serialized-channel", "ospada", "wla"),
    *(each["name"] for each in VICTIMS if each["parameters"] and each["name"] in reclaim.schemes()),
)
GATED = {"gc.concurrency": "channels", "gc.concurrency.gate": "70%"}
FURTHER = (
    {},
    {"scheduler": "type-first"},
    {"scheduler": "fcfs"},
    {"ftl.placement": "level-by-history", "geometry.spare_factor": "20%"},
    {"ftl.separation": "by-lifetime", "geometry.spare_factor": "20%"},
    {"ftl.separation": "by-stream", "geometry.spare_factor": "20%"},
    *(
        {"ftl.separation": each, "geometry.spare_factor": "40%"}
        for each in ("dac", "eti", "sfr", "fadac", "sepbit", "future-knowledge")
    ),
    {
        "ftl.separation": f'{{ kind = "python", function = "{own_policies.__file__}:two_streams" }}',
        "ftl.separation.relocated_open_blocks": "2",
        "geometry.spare_factor": "40%",
    },
    {"ftl.slc_cache": "static", "geometry.spare_factor": "20%"},
    {"ftl.slc_cache": "static", "ftl.slc_cache.t_read": "25us", "geometry.spare_factor": "20%"},
    {"ftl.slc_cache": "static", "ftl.slc_cache.t_program": "200us", "geometry.spare_factor": "20%"},
    {"ftl.mapping_cache": "pages", "geometry.spare_factor": "20%"},
    {"ftl.mapping_cache": "dftl", "geometry.spare_factor": "20%"},
    {"ftl.allocation": "dynamic"},
    {"gc.trigger": "foreground", "ftl.allocation.by": "lpn"},
    {"gc.trigger": "frontier-filled"},
    {"warmup.kind": "workload"},
    {"host.mode": "closed-loop"},
    {"host.link": "{ lanes = 4 }"},
    {"host.target_utilisation": "30%"},
    {"channel.host_buffer": "12us"},
    {"ftl.superblock": "channel"},
    GATED | {"gc.concurrency.gate_memory": "two-thresholds", "gc.concurrency.gate_close": "50%"},
    GATED | {"gc.concurrency.gate_memory": "until-drained"},
    {"warmup.kind": "overwrite"},
    {"flash.pages_per_word_line": "8"},
    {"flash.plane_reads": "independent"},
    {"controller.acknowledge": "staged", "controller.write_buffer": "1MiB"},
    {"flash.read_retry.rate": "5%", "flash.read_retry.t_retry": "10us"},
    {"trace.max_requests": "1000", "trace.sample": "50%", "trace.repeat_gap": "1ms"},
    {"geometry.user_capacity": "1GiB"},
    {"warmup.kind": "replay", "warmup.fill": "true"},
)
"""What makes keys take effect that presets do not have."""


WITH_REBUILD = ("raid5", {"redundancy.rebuild_chip": "0", "geometry.spare_factor": "20%"})


def drives() -> Iterator[reclaim.Device]:
    """Drives with every policy, and every section that can be left out."""
    made = [*((each, {}) for each in SCHEMES), *(("", each) for each in FURTHER), WITH_REBUILD]
    presets = [name for name in reclaim.presets() if name.endswith("-mini")]
    for preset, (scheme, settings) in itertools.product(presets, made):
        with contextlib.suppress(InputError):
            drive = reclaim.Device.preset(preset)
            yield drive.with_scheme(*filter(None, [scheme]), settings=settings)


def test_every_alternative_loads_on_some_drive() -> None:
    """The drives have every policy: no declaration is left untried."""
    loads: dict[tuple[str, str], bool] = {}
    for drive in drives():
        for each in choices(drive.config).values():
            for value, moved in each.others().items():
                if not loads.setdefault((each.key, value), False):
                    with contextlib.suppress(InputError):
                        drive.with_settings({each.key: moved})
                        loads[each.key, value] = True
    assert len(loads) > 250
    assert [each for each in loads if not loads[each]] == []
    met = {key for key, _ in loads}
    for kind in reclaim.catalogue():
        for policy in kind["policies"]:
            for name, node in policy["parameters"].get("properties", {}).items():
                if "values" in node["x-alternatives"]:
                    assert f"{kind['key']}.{name}" in met, (kind["key"], policy["name"], name)


def test_an_alternative_is_never_what_is_there() -> None:
    drive = reclaim.Device.preset("channel-aware-mini").with_scheme("adaptive")
    found = choices(drive.config)
    assert found["gc.trigger.idle"].present == "true"
    assert found["gc.trigger.idle"].others() == {"false": "false"}
    assert found["gc.concurrency.rounding"].present == "ceil"
    assert list(found["gc.concurrency.rounding"].others()) == ["floor", "nearest"]
    for key, each in found.items():
        for moved in each.others().values() if each.present is not None else ():
            with contextlib.suppress(InputError):
                assert drive.with_settings({key: moved}).config != drive.config, (key, moved)


def test_what_is_no_choice_of_a_drive() -> None:
    drive = reclaim.Device.preset("gc-bypass-mini")
    found = choices(drive.config)
    assert not {"name", "seed", "trace.format", "measure.power_cut_every"} & set(found)
    # Keys of a section that it does not have.
    assert list(found["host.link"].others()) == ["{ lanes = 4 }"]
    linked = choices(drive.set("host.link", "{ lanes = 4 }").config)
    assert "host.link" not in linked
    assert linked["host.link.lanes"].others() == {"×0.5": "2", "×2": "8"}
    # A policy moves within those that stand in for each other.
    assert "interconnect" not in choices(drive.with_scheme("venice").config)
    assert list(found["interconnect"].others()) == ["serialized-channel", "ideal"]


@pytest.mark.parametrize(
    ("value", "factor", "wanted"),
    [
        ("333 MT/s", "×2", "666 MT/s"),
        ("25ns", "×0.5", "12ns"),
        # A nanosecond is the least there is.
        ("0ns", "×2", "1ns"),
        (0.5, "×2", "1.0"),
        ("16KiB", "×0.5", "8192B"),
        (True, "×2", None),
        (None, "×2", None),
        (["40us", None], "×2", None),
    ],
)
def test_a_factor_scales_what_can_be_scaled(value: object, factor: str, wanted: str | None) -> None:
    assert scaled(value, factor) == wanted


def test_factors_that_come_to_the_same_are_one_alternative() -> None:
    choice = AlternativeKey("gc.x", "scope", "Why.", "1", ("×0.25", "×0.5", "×2"), 1)
    assert choice.others() == {"×2": "2"}
