"""Lessons with fewer rounds and sizes where they measure times, as their heads say:
their timings are only asserted in cells that are `one-way`.
"""

from functools import cache

from steps.course.lessons import read_front_matter
from steps.course.workshop.notebook import list_judging_cells


@cache
def cells(step):
    """Return the lesson's cells that judge, shortened."""
    places, sources = zip(*list_judging_cells(step), strict=True)
    for old, new in read_front_matter(step).shorter.items():
        assert any(old in source for source in sources), (
            f"step {step} has no {old!r} any more: what is to be shortened there?"
        )
        sources = [source.replace(old, new) for source in sources]
    return list(zip(places, sources, strict=True))
