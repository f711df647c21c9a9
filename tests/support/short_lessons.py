"""Lessons 81 to 92 without what they measure times for: fewer turns and sizes, and no
demand on the times. All else that they ask of a part is as it is.
"""

from functools import cache

from steps.course.workshop.notebook import judging_cells

# By the step: what stands in a cell, and what stands there instead.
SHORTER = {
    81: {"sizes = [256, 512, 1024, 2048, 4096]": "sizes = [256]"},
    82: {"for _ in steps.progress(range(4))]": "for _ in range(1)]"},
    84: {
        "best_time(way, 10)": "best_time(way, 1)",
        "two, three = times_of(2, 2), times_of(3, 2)": "two, three = times, times",
        'times_of(size, 2, falling)["max_places"]': 'found["max_places"]',
        "    assert times[name] > 1.4 * times": "    times[name] > 1.4 * times",
        'assert two["max_places"] > 2 * two': 'two["max_places"] > 2 * two',
        'assert three["max_places"] > 1.3 * three': 'three["max_places"] > 1.3 * three',
        "assert two[names[2]] > 1.5 * two": "two[names[2]] > 1.5 * two",
        "assert three[names[2]] > 1.2 * three": "three[names[2]] > 1.2 * three",
        "for _ in range(25)], axis=0)": "for _ in range(1)], axis=0)",
        "assert spans[1] < 1.6 * spans[0]\nassert share < 0.4": "",
    },
    85: {
        "sizes = [24, 48, 96, 192, 384]": "sizes = [24, 48]",
        "n = 450\n": "n = 60\n",
    },
    87: {"tape(*arrays), rounds=100)": "tape(*arrays), rounds=1)"},
    88: {"for seed in steps.progress(range(3))]": "for seed in range(1)]"},
    89: {
        "jacobian(network, x, way), 9)": "jacobian(network, x, way), 1)",
        "assert ratios[4, 256] < 0.5 and ratios[256, 4] > 2": "",
    },
    90: {"slow = best_time(loop, 2)": "slow = best_time(loop, 1)"},
    92: {
        "(24, 2, 20), (768, 12, 4)": "(24, 2, 1), (768, 12, 1)",
        "assert ratios[768] > 1.5 and ratios[768] > ratios[24]": "",
    },
}


@cache
def cells(step):
    """The lesson's cells that judge, shortened."""
    places, sources = zip(*judging_cells(step), strict=True)
    for old, new in SHORTER.get(step, {}).items():
        assert sum(source.count(old) for source in sources) == 1, old
        sources = [source.replace(old, new) for source in sources]
    return list(zip(places, sources, strict=True))
