"""The defaults of every function and method of the package.

``signatures.txt`` keeps them, so that a changed default is noticed; after an intended
change, ``python -m tests.support.signatures`` updates it.
"""

import inspect
from pathlib import Path

from tests.support.public_names import modules

KEPT = Path(__file__).with_name("signatures.txt")


def lines():
    """Make a line for each, as in ``functions.pool.pooling(x, kernel_size,
    stride=1)``.
    """
    found = []
    for module in modules():
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", None) == module.__name__:
                place = f"{module.__name__}.{name}".removeprefix("dezero_lite.")
                found += _of(thing, place)
    return sorted(line for line in found if "=" in line)


def _of(thing, place):
    if inspect.isfunction(thing):
        return [f"{place}({', '.join(map(_parameter, _parameters(thing)))})"]
    if not inspect.isclass(thing):
        return []
    methods = [m for m in vars(thing).items() if inspect.isfunction(m[1])]
    return [line for name, m in methods for line in _of(m, f"{place}.{name}")]


def _parameters(function):
    return inspect.signature(function).parameters.values()


def _parameter(parameter):
    if parameter.default is parameter.empty:
        return parameter.name
    return f"{parameter.name}={_default(parameter.default)}"


def _default(value):
    if value is None or isinstance(value, (bool, int, float, str, tuple)):
        return repr(value)
    return getattr(value, "__name__", type(value).__name__)


if __name__ == "__main__":
    KEPT.write_text("\n".join(lines()) + "\n", encoding="utf-8", newline="\n")
    print(f"Wrote {KEPT.name}.")
