"""Numbers and arrays as the player writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import SumTo

# A longer list of numbers is unreadable: the array's shape is shown instead.
LONGEST = 16
# The maximum number of rows and columns of an array that are shown.
MOST_CELLS = 8
# The letter for a cell of a heat map, from the most negative to the most positive.
CELLS = "ihgfedcba0123456789"
# What joins the words of a sentence.
WORDS = {"comma": ", ", "and": " and "}


def number(x: Any) -> str:
    return f"{x:.5g}"


def text(x: Any) -> str:
    """Write a number, a few numbers, or a shape."""
    a = np.asarray(x)
    if a.ndim == 0:
        return number(a[()])
    numbers = f"[{' '.join(map(number, a[:LONGEST]))}]" if a.ndim == 1 else ""
    return numbers if 0 < len(numbers) <= LONGEST else str(a.shape)


def phrase(x: Any) -> str:
    """Write the same for use in a sentence."""
    short = text(x)
    return f"an array {short}" if short.startswith("(") else short


def join_words(words: list[str]) -> str:
    """Join words as in a sentence: "a, b and c"."""
    begins = WORDS["comma"].join(words[:-1])
    return WORDS["and"].join(filter(None, [begins, *words[-1:]]))


def as_detail(x: Any) -> dict[str, Any]:
    """Describe a number or an array for the panel: its text, and a heat map if the text
    is a shape.
    """
    a = np.asarray(x)
    short = {"text": text(a)}
    return short | heat_map(a) if a.size and short["text"].startswith("(") else short


def heat_map(a: Any) -> dict[str, Any]:
    """Encode the first rows and columns, a letter per cell, and the array's range."""
    rows = a.reshape(-1, a.shape[-1])
    part = rows[:MOST_CELLS, :MOST_CELLS]
    note = f"from {number(a.min())} to {number(a.max())}"
    if part.size < a.size:
        note += f"; the first {part.shape[0]} × {part.shape[1]}:"
    largest = np.abs(a[np.isfinite(a)]).max(initial=0) or 1
    levels = np.nan_to_num(9 * part / largest, posinf=9, neginf=-9).round().clip(-9, 9)
    heat = ["".join(CELLS[int(level) + 9] for level in row) for row in levels]
    return {"note": note, "heat": heat}


def almost_equal(a: Any, b: Any) -> bool:
    """Return whether two gradients are equal up to rounding; ``None`` equals only
    itself.
    """
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=0, equal_nan=True)


def describe_sum(earlier: Any, parts: list[Any], now: Any) -> str:
    """Describe how gradients were added up; return "" if there was only one."""
    if not parts or now is None:
        return ""
    fitting = [g if g.shape == now.shape else SumTo(now.shape).apply(g) for g in parts]
    terms = fitting if earlier is None else [earlier, *fitting]
    if len(terms) > 1:
        is_sum = almost_equal(sum(terms), now)
        instead = f"{phrase(now)}, in place of {phrase(terms[-2])}"
        return addition(terms, now) if is_sum else instead
    if parts[0].shape != now.shape:
        return f"{phrase(now)}, added up from {parts[0].shape}"
    return ""


def addition(terms: list[Any], total: Any) -> str:
    """Write out a sum, as in "8 + (-2) = 6"."""
    texts = [text(g) for g in terms]
    if texts[0].startswith("("):
        return f"the sum of {len(terms)} arrays {texts[0]}"
    signed = [f"({g})" if g.startswith("-") else g for g in texts]
    return f"{' + '.join(signed)} = {text(total)}"
