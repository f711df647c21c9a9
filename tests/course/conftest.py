"""A course of two lessons and a map, in a folder of its own."""

import pytest

from steps.course import lessons, own

LESSON = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Step {number}: Lesson {number}

**Time** 1 minutes · **Builds on** nothing · **New** `one`

```{{code-cell}} ipython3
import math
```

```{{code-cell}} ipython3
# %load -s one ../steps/step0{number}.py
```

## Exercises

### Exercise 1: twice

Write `twice(x)`.

```{{hint}}
Which operator makes a number larger?
```

```{{hint}}
Multiply, and return what you get.
```

```{{code-cell}} ipython3
def twice(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```{{code-cell}} ipython3
:tags: [check]

assert twice(2) == 4, "twice(2) should be 4"
### BEGIN HIDDEN TESTS
for number in range(10):
    assert twice(number) == number + number, f"twice({{number}}) is wrong"
### END HIDDEN TESTS
print("Exercise 1 is right.")
```

### Exercise 2: the sum

Write `total(numbers)`.

```{{code-cell}} ipython3
def total(numbers):
    ### BEGIN SOLUTION
    result = 0
    for number in numbers:
        result += number
    return result
    ### END SOLUTION
```

```{{code-cell}} ipython3
:tags: [check]

assert total([1, 2]) == 3, "total([1, 2]) should be 3"
print("Exercise 2 is right.")
```
"""
CODE = '"""A step."""\n\n\ndef one():\n    return 1\n'
MAP = """\
# The map

### Stage 1: beginnings

After it, numbers double.

1. Lesson 1
2. Lesson 2
3. Lesson 3

```{code-cell} ipython3
print("the way")
```
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The root of a course with a map and the lessons 1 and 2."""
    root = tmp_path / "toy"
    for name in ("steps", "notebooks"):
        (root / name).mkdir(parents=True)
    monkeypatch.setattr(lessons, "ROOT", root)
    monkeypatch.setattr(lessons, "LESSONS", root / "steps")
    monkeypatch.setattr(lessons, "NOTEBOOKS", root / "notebooks")
    monkeypatch.setattr(own, "FOLDER", root / "my-course")
    (root / "steps" / "course.mplstyle").write_text("", encoding="utf-8")
    (root / "steps" / "start.md").write_text(
        LESSON.split("# Step")[0].format() + MAP, encoding="utf-8"
    )
    for number in (1, 2):
        lesson = LESSON.format(number=number)
        (root / "steps" / f"step0{number}.md").write_text(lesson, encoding="utf-8")
        (root / "steps" / f"step0{number}.py").write_text(CODE, encoding="utf-8")
    return root
