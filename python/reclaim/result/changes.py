"""Settings given on top of device and schemes, kept as comments at the top of the resolved configuration.

Not in the results themselves: these are the same for the same configuration, however it was put together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

CHANGED = "# changed: "
NOTED = re.compile(f"({CHANGED}.*\n)+")


def noted(config_toml: str, settings: Iterable[str]) -> str:
    r"""Note `settings`, each as `key=value`, in a configuration.

    >>> noted("seed = 7\n", ["seed=7"])
    '# changed: seed=7\nseed = 7\n'
    """
    lines = (f"{CHANGED}{' '.join(each.split())}\n" for each in settings)
    return "".join(lines) + config_toml


def settings_of(config_toml: str) -> list[str]:
    r"""Give the settings that are noted in a configuration.

    >>> settings_of("# changed: seed=7\nseed = 7\n")
    ['seed=7']
    """
    noted = NOTED.match(config_toml)
    return [line.removeprefix(CHANGED) for line in noted[0].splitlines()] if noted else []
