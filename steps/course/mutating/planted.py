"""Plants failures in solutions: however an answer fails, its check has to reject it
with a sentence.

``python -m steps plant 8`` tries every kind of failure in every function of lesson 8's
answers: each of Python's exceptions, a misspelt name, nothing returned, an object of
another type, and one that equals everything.
"""

import ast
import builtins
import re
from copy import deepcopy

from .. import exercises
from ..translation.review import HAN
from ..translation.tool import get_language
from . import fork_pool

# These need more than a message, and KeyboardInterrupt is not an answer's failure.
LEFT_OUT = {"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError"}
LEFT_OUT |= {"BaseExceptionGroup", "ExceptionGroup", "KeyboardInterrupt"}
EXCEPTIONS = sorted(
    {
        kind.__name__
        for kind in vars(builtins).values()
        if isinstance(kind, type)
        and issubclass(kind, BaseException)
        and not issubclass(kind, Warning)
    }
    - LEFT_OUT
)
OBJECTS = {
    "another kind of object": "object()",
    "equal to everything": (
        'type("Equal", (), {"__eq__": lambda *_: True, "__hash__": lambda _: 0})()'
    ),
    "ANY": '__import__("unittest.mock").mock.ANY',
}
BODIES = {
    "nothing returned": "pass",
    "an unknown name": "return unknown_name",
    "a misspelt method": "return [].apend(1)",
} | {name: f"return {value}" for name, value in OBJECTS.items()}
RAISES = {name: f'raise {name}("planted on purpose")' for name in EXCEPTIONS}
# Minimum length of a message that counts as a sentence, in bytes.
SENTENCE = 12


def plant(solution, brief=0):
    """Plant failures in a solution cell, one at a time.

    Parameters
    ----------
    brief : int
        If not 0, plant only one of the exceptions in each function: this number
        selects which.

    Returns
    -------
    dict
        Maps each failure, such as ``"f: nothing returned"``, to the source of the cell
        with that failure.
    """
    lines = [line.strip() for line in solution.splitlines()]
    first, last = (
        lines.index(exercises.BEGIN) + 1,
        len(lines) - lines[::-1].index(exercises.END),
    )
    tree = ast.parse(solution)
    raises = RAISES
    if brief:
        name = EXCEPTIONS[brief % len(EXCEPTIONS)]
        raises = {name: RAISES[name]}
    planted = {}
    for owner, position, node in _list_answers(tree):
        if node.end_lineno < first or node.lineno > last:
            continue
        for name, variant in _list_variants(node, owner, raises):
            owner.body[position] = variant
            planted[name] = ast.unparse(ast.fix_missing_locations(tree))
        owner.body[position] = node
    return planted


def _list_answers(owner):
    """Yield (owner, index, node) for a module's functions, methods and assignments."""
    for position, node in enumerate(owner.body):
        if isinstance(node, ast.ClassDef):
            yield from _list_answers(node)
        elif isinstance(node, ast.FunctionDef | ast.Assign):
            yield owner, position, node


def _list_variants(node, owner, raises):
    if isinstance(node, ast.Assign):
        names = ast.unparse(node.targets[0])
        for name, value in OBJECTS.items():
            yield f"{names}: {name}", ast.Assign(node.targets, _parse(value).value)
        return
    for name, body in (BODIES | raises).items():
        variant = deepcopy(node)
        variant.body = [_parse(body)]
        yield f"{node.name}: {name}", variant
    if isinstance(owner, ast.ClassDef) and len(node.name) > 2:
        variant = deepcopy(node)
        variant.name = f"{node.name[:2]}{node.name[3:]}"
        yield f"{node.name}: misspelt", variant


def _parse(statement):
    return ast.parse(statement).body[0]


def find_faults(number):
    """Find the planted failures that a lesson's checks do not reject with a sentence.

    Returns
    -------
    int, list of str
        How many failures were planted; and for each that was not rejected properly, the
        exercise, the failure, and what happened.
    """
    found = list(fork_pool.run_variants(number, plant))
    faults = [
        f"{number}.{exercise}  {name}: {complaint}"
        for exercise, name, failures, check in found
        if (complaint := explain_fault(failures, check))
    ]
    return len(found), sorted(faults)


def explain_fault(failures, check):
    """Explain how a check mishandled a planted failure, or return "" if it did not;
    ``check`` is the position of its cell in ``failures``.
    """
    failure = failures.get(check)
    if failure is None:
        # If the answer's own cell failed, the check may pass.
        return "" if failures else "earns the point"
    if failure.kind != "AssertionError" or len(failure.text.encode()) < SENTENCE:
        return failure.message
    # A learner's own message has at least the mark before it.
    is_english = get_language() and not re.search(f"{HAN}|：", failure.text)
    return f"in English: {failure.message}" if is_english else ""
