"""The scripts in tests/package that retell the book's also run on the package that
grows, unless they need something else.
"""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

from benchmarks.frameworks import package_that_grows
from tests.package import test_book_scripts, test_book_training

LITE = "dezero_lite"
DEZERO = package_that_grows()
# What the others need, as their error names it: gradients that are arrays (as in step
# 22), a GPU, options, and shapes that the small package rejects.
SIMPLE, GPU = "is_simple_core", "'cuda'"
LACKS = {
    "test_gradient_descent_on_rosenbrock-1": SIMPLE,
    "test_a_function_of_ones_own_whose_backward_computes_on_arrays": "'core_simple'",
    "test_the_branch_for_a_gpu": GPU,
    "test_a_layer_with_parameters_of_its_own": GPU,
    "test_an_rnn_is_given_targets_as_the_curve_has_them": r"\(1, 1\) and \(1,\)",
}
# And one contains the name of dezero_lite.
ITS_OWN = {"test_a_script_in_a_process_of_its_own"}


def on_the_small_package(module):
    """Run the module's own text with the small package instead of dezero_lite."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    names = {"__name__": module.__name__, "__file__": module.__file__}
    kept = []
    for node in tree.body:
        if isinstance(node, ast.Import) and node.names[0].name.startswith(LITE):
            for alias in node.names:
                names[alias.asname] = room(alias.name)
        elif isinstance(node, ast.ImportFrom) and node.module.startswith(LITE):
            for alias in node.names:
                if hasattr(DEZERO, alias.name):
                    names[alias.name] = getattr(DEZERO, alias.name)
        else:
            kept.append(node)
    # dezero_lite's reads the loss with a method that the small package lacks.
    exec(compile(ast.Module(kept, []), module.__file__, "exec"), names)
    names["train_step"] = train_step
    return names


def room(name):
    return getattr(DEZERO, name.partition(".")[2]) if "." in name else DEZERO


def train_step(model, optimizer, loss):
    model.cleargrads()
    loss.backward()
    optimizer.update()
    return float(loss.data)


def scripts():
    """Collect each script with its arguments, by name."""
    for module in (test_book_scripts, test_book_training):
        for name, script in on_the_small_package(module).items():
            if not name.startswith("test_") or name in ITS_OWN:
                continue
            marks = [m for m in getattr(script, "pytestmark", ()) if m.args]
            if not marks:
                yield pytest.param(script, {}, id=name)
                continue
            names, values = marks[0].args
            for n, value in enumerate(values):
                one = isinstance(names, str)
                given = {names: value} if one else dict(zip(names, value, strict=True))
                yield pytest.param(script, given, id=f"{name}-{n}")


SCRIPTS = list(scripts())


@pytest.mark.parametrize(("script", "given"), SCRIPTS)
def test_a_script(script, given, request, tmp_path, monkeypatch):
    DEZERO.manual_seed(0)
    np.random.seed(0)
    fixtures = {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
    asked = inspect.signature(script).parameters
    given = given | {name: fixtures[name] for name in asked if name in fixtures}
    lacking = LACKS.get(request.node.callspec.id)
    if lacking is None:
        script(**given)
    else:
        with pytest.raises(Exception, match=lacking):
            script(**given)


def test_those_that_do_not_run_are_scripts():
    assert LACKS.keys() <= {param.id for param in SCRIPTS}
