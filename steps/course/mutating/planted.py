"""Plants failures in solutions: whatever an answer does, its check has one sentence for
it, and no point.

``python -m steps plant 8`` tries every kind of failure in every function of the answers
of lesson 8: each of Python's exceptions, a misspelt name, nothing returned, an object
of another kind, and one that calls itself equal to everything.
"""

import ast
import builtins
from copy import deepcopy

from .. import exercises
from . import fork_pool

# These need more than a message; Ctrl-C is no failure of an answer.
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
# A sentence, and no bare word.
SENTENCE = 12


def plant(solution, brief=0):
    """Plant failures in a solution cell, one at a time.

    Parameters
    ----------
    brief : int
        If it is not 0, one exception is planted in each function, another one for
        another number, and not all.

    Returns
    -------
    dict
        Maps what was planted, such as ``"f: nothing returned"``, to the cell's source.
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
    """List the functions of a module, its classes' methods, and its assignments."""
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
    """Find what the checks of a lesson do not answer with a sentence.

    Returns
    -------
    int, list of str
        How many failures were planted; and for each that is wrong the exercise, what
        was planted, and what came of it.
    """
    found = list(fork_pool.run_variants(number, plant))
    faults = [
        f"{number}.{exercise}  {name}: {complaint}"
        for exercise, name, failures, check in found
        if (complaint := explain_fault(failures, check))
    ]
    return len(found), sorted(faults)


def explain_fault(failures, check):
    """Explain what is wrong with what came of a planted failure; its check ran as the
    cell of that number. Return nothing if it is answered as it should be.
    """
    failure = failures.get(check)
    if failure is None:
        # An answer that stops in its own cell leaves nothing to check.
        return "" if failures else "earns the point"
    if failure.kind != "AssertionError" or len(failure.text) < SENTENCE:
        return failure.words
    return ""
