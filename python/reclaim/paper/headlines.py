"""Headlines of a paper: what its claims come to, and the comparison that is asked what it depends on."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from reclaim.paper.entries import File, ListOf
from reclaim.sections import Section, Text, must


def _folder_name(name: str) -> str:
    if not name.replace("-", "").isalnum():
        raise must("letters, digits and hyphens: a folder is called so")
    return name


class Headline(Section):
    """What a paper concludes, as a comparison of two schemes."""

    name: Annotated[Text, AfterValidator(_folder_name)]
    """Of its folder among the results."""
    says: Text
    """The paper's conclusion, in a sentence."""
    claims: ListOf[Text] = ()
    """Claims that fall with it: what turns it, turns them."""
    file: File
    """Experiment with a section `[sensitivity]`, and with `[ablation]` where parts can be taken out."""
