"""Relocated pages lie together by the age of their data: a cleaner that sorts, in a drive that cannot."""

import numpy as np

import reclaim


@reclaim.separation_policy
def by_age(pages: reclaim.policy.Pages, span: int = 1000) -> object:
    """Give a class for each doubling of age, from `span` pages on; new data has one class."""
    if not pages.collected:
        return 0
    return np.clip(np.log2(np.maximum(pages.age, 1) / span).astype(int), 0, pages.classes - 1)
