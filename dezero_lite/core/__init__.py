"""The whole idea: numbers that remember where they came from.

A :class:`Variable` holds an array. A :class:`Function` makes new Variables from old
ones and records which, so that :meth:`Variable.backward` can follow the graph from a
result and leave a gradient at every leaf. Steps 1–22 grow these files from nothing, and
step 23 splits them into modules; steps 32–36 make gradients differentiable, and step 40
explains `sum_to` and `broadcast_to`.
"""

# ruff: noqa: F401, F403 (names for the rest of the package)

from .arrays import NUMBERS, as_array
from .backward import walk
from .function import Function, Primitive, is_batched
from .messages import describe, kind_of
from .operators import *
from .settings import Config, no_grad, test_mode, using_config
from .variable import Operand, Parameter, Variable, as_variable, unwrap
