"""In which settings two drives differ, and the parts that this is taken into."""

from __future__ import annotations

import reclaim
from reclaim.bench.mistakes import Mistakes
from reclaim.instruments.ablation.difference import Part, parts_of
from reclaim.instruments.ablation.drives import cannot_go
from reclaim.instruments.flat_settings import differing, flat

FILE = '[ablate]\n[ablate.parts]\n"early" = [\n "gc.trigger.idle",\n "%s",\n]\n'
GREEDY = flat(reclaim.Device("gc-bypass-mini", ("greedy",)).config)
ADAPTIVE = flat(reclaim.Device("gc-bypass-mini", ("adaptive",), (("gc.pages_in_flight", "4"),)).config)
KEYS = differing(GREEDY, ADAPTIVE)


def test_settings_that_differ_are_those_of_either() -> None:
    assert [
        *("gc.trigger.kind", "gc.trigger.start", "gc.concurrency.kind"),
        *("gc.pages_in_flight", "gc.concurrency.idle"),
    ] == KEYS
    assert differing(GREEDY, GREEDY) == []


def test_what_follows_from_other_settings_is_no_difference() -> None:
    made = reclaim.Device("gc-bypass-mini", (), (("warmup.kind", "filled"), ("warmup.scheme", "greedy")))
    assert "warmup.scheme" in flat(made.config)
    assert not [key for key in flat(made.config) if key.startswith("warmup.policies") or key == "name"]


def test_a_policy_kind_is_a_part_and_so_is_the_rest_of_a_section() -> None:
    mistakes = Mistakes("x.toml")
    assert parts_of(KEYS, {}, KEYS, mistakes) == [
        Part("gc.trigger", ("gc.trigger.kind", "gc.trigger.start")),
        Part("gc.concurrency", ("gc.concurrency.kind", "gc.concurrency.idle")),
        Part("gc.pages_in_flight", ("gc.pages_in_flight",)),
    ]
    assert mistakes.messages() == []


def test_an_experiment_names_parts_of_several_kinds_and_below_them() -> None:
    named = {"kinds": ["gc.trigger", "gc.concurrency.kind"], "start": ["gc.trigger.start"]}
    mistakes = Mistakes("x.toml")
    assert parts_of(KEYS, named, KEYS, mistakes) == [
        Part("kinds", ("gc.trigger.kind", "gc.concurrency.kind")),
        Part("start", ("gc.trigger.start",)),
        Part("gc.pages_in_flight", ("gc.pages_in_flight",)),
        Part("gc.concurrency", ("gc.concurrency.idle",)),
    ]
    assert mistakes.messages() == []
    named = {"gc": ["gc.trigger"]}
    assert [each.name for each in parts_of(KEYS, named, KEYS, mistakes)] == [
        "gc",
        "gc.concurrency",
        "gc.pages_in_flight",
    ]


def test_a_key_that_takes_nothing_is_told_with_its_line() -> None:
    both = [*GREEDY, *ADAPTIVE]
    for key, said in (
        ("gc.victim", "gc.trigger.kind, "),
        ("gc.concurency", 'did you mean "gc.concurrency"?'),
    ):
        mistakes = Mistakes("x.toml", FILE % key)
        parts_of(KEYS, {"early": ["gc.concurrency", key]}, both, mistakes)
        (message,) = mistakes.messages()
        assert message.startswith("x.toml:5: ablate.parts.early[2]: ")
        assert f'"{key}"' in message
        assert said in message
    # All below it is named elsewhere.
    mistakes = Mistakes("x.toml")
    named = {"one": ["gc.trigger"], "kind": ["gc.trigger.kind"], "start": ["gc.trigger.start"]}
    parts_of(KEYS, named, KEYS, mistakes)
    (message,) = mistakes.messages()
    assert message.startswith('x.toml: ablate.parts.one[1]: "gc.trigger" ')


def test_settings_that_cannot_be_taken_away_again() -> None:
    # Another kind of policy comes without the parameters of the old one.
    assert (cannot_go(GREEDY, ADAPTIVE), cannot_go(ADAPTIVE, GREEDY)) == (0, 0)
    urgent = GREEDY | {"gc.trigger.hard": "2 blocks"}
    assert (cannot_go(urgent, GREEDY), cannot_go(GREEDY, urgent)) == (1, 0)
