"""Scripts like the book's run unchanged with ``python -m dezero_lite.book``, with the
habits of the book's readers.
"""

import json
import warnings

import numpy as np
import pytest

from dezero_lite import DataLoader, Function, Variable
from dezero_lite import functions as F
from dezero_lite.utils import gradient_check
from tests.support.programs import python

HEAD = """
if '__file__' in globals():
    import os, sys
    sys.path.append(os.path.join(os.path.dirname(__file__), '..'))
import numpy as np
"""
# Scripts in the book's style, and their output.
SCRIPTS = {
    "step 28": (
        """
        from dezero import Variable
        x = Variable(np.array(0.0))
        y = (x - 3) ** 2
        y.backward()
        print(x.grad)
        """,
        "variable(-6.0)",
    ),
    "step 37, whole numbers": (
        """
        import dezero.functions as F
        from dezero import Variable
        x = Variable(np.array([[1, 2, 3], [4, 5, 6]]))
        y = F.sum(x + np.array([[10, 20, 30], [40, 50, 60]]))
        y.backward(retain_grad=True)
        print(y, x.grad.data.tolist(), isinstance(y, Variable))
        """,
        "variable(231.0) [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] True",
    ),
    "step 44": (
        """
        import dezero.layers as L
        from dezero import Model, optimizers, datasets, DataLoader
        from dezero.models import MLP
        model = MLP((4, 2))
        print(type(model(np.ones((3, 1)))).__name__, L.Linear, optimizers.SGD(0.1).lr)
        """,
        "Variable <class 'dezero_lite.layers.linear.Linear'> 0.1",
    ),
    "step 59, a number in an array of one element": (
        """
        import dezero.layers as L
        y = L.Linear(1, in_size=2)(np.ones((1, 2)))
        print(type(float(y.data)), type(int(y.data)), y.shape)
        """,
        "<class 'float'> <class 'int'> (1, 1)",
    ),
    "names of a star": (
        """
        from dezero.core import *
        from dezero.functions import *
        x = Variable(np.array([0.5]))
        print(Sin()(x).data == np.sin(0.5), issubclass(Exp, Function), as_variable)
        """,
        "[ True] True <function as_variable at",
    ),
    "step 26, by hand": (
        """
        from dezero import Variable
        from dezero.core import array_types
        from dezero.dataloaders import pil_available
        from dezero.utils import _dot_var, _dot_func
        x = Variable(np.array(1.0), name="x")
        y = x * x
        line = _dot_var(x, verbose=True)
        print(line.partition(" ")[2].strip(), _dot_func(y.creator).count(" -> "))
        assert isinstance(x.data, array_types) and pil_available in (True, False)
        """,
        '[label="x: () float64", color=orange, style=filled] 3',
    ),
    "arguments": ("import sys; print(sys.argv[1:], __name__)", "['a', 'b'] __main__"),
}


def run(path, *arguments):
    return python("-W", "error", "-m", "dezero_lite.book", path, *arguments)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_the_book_runs_as_it_is(name, tmp_path):
    text, printed = SCRIPTS[name]
    lines = [line.strip() for line in text.strip().splitlines()]
    (tmp_path / "script.py").write_text(HEAD + "\n".join(lines))
    done = run(tmp_path / "script.py", "a", "b")
    assert done.returncode == 0, done.stderr
    assert done.stdout.partition(" 0x")[0].strip() == printed
    told = "whole numbers in a Variable were converted to floats"
    assert done.stderr.count(told) == ("whole" in name)


def test_a_notebook_runs_without_magics_and_names_the_cell_that_stops(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "outputs": [], "source": ["%matplotlib inline\n", "a=1"]},
        {"cell_type": "code", "execution_count": None, "source": "import dezero\nb=a"},
        {"cell_type": "code", "source": "%%bash\necho 'a"},
        {"cell_type": "code", "source": "%%time\nb += 1"},
        {"cell_type": "code", "source": "display(b, __name__)\n1 / 0"},
    ]
    path = tmp_path / "own.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"x": None}}))
    done = run(path)
    assert done.stdout.split() == ["2", "__main__"], done.stderr
    assert 'own.ipynb, code cell 5", line 2' in done.stderr
    path.write_text("null")
    done = run(path)
    assert done.stderr == f"{path} is not a readable notebook.\n"


def test_a_script_from_before_step_32_is_told_of_the_simple_core(tmp_path):
    lines = ["from dezero import Variable", "import numpy as np"]
    lines += ["x = Variable(np.array(1.0))", "y = x * x", "y.backward()"]
    (tmp_path / "script.py").write_text("\n".join([*lines, "x.data -= 0.1 * x.grad"]))
    assert "Then import dezero.core_simple" in run(tmp_path / "script.py").stderr


def test_a_script_that_is_not_there_is_told_in_a_line(tmp_path):
    done = run(tmp_path / "none.py")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)


def test_a_loader_with_a_next_as_in_the_book_gives_its_own_batches():
    class Backwards(DataLoader):
        def __next__(self):
            if self.iteration >= self.max_iter:
                self.reset()
                raise StopIteration
            first = self.iteration * self.batch_size
            rows = self.index[first : first + self.batch_size]
            self.iteration += 1
            return np.array([self.dataset[i][0] for i in rows[::-1]]), None

    loader = Backwards([(i, None) for i in range(4)], 2, shuffle=False)
    for _ in range(2):
        assert [x.tolist() for x, _ in loader] == [[1, 0], [3, 2]]


@pytest.mark.parametrize("b", [None, np.ones(2)])
def test_an_input_may_be_left_out(b):
    class Linear(Function):
        def forward(self, x, W, b):
            y = x.dot(W)
            return y if b is None else y + b

        def backward(self, gy):
            x, W, b = self.inputs
            gb = None if b.data is None else F.sum_to(gy, b.shape)
            return F.matmul(gy, W.T), F.matmul(x.T, gy), gb

    x, W = Variable(np.ones((3, 4))), Variable(np.ones((4, 2)))
    Linear()(x, W, b).backward()
    assert W.grad.data.tolist() == [[3, 3]] * 4


def test_a_gradient_without_a_graph_is_judged_by_the_first_order():
    class Sin(Function):
        factor = 1

        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            return gy * np.cos(self.inputs[0].data) * self.factor

    class Thrice(Function):
        def forward(self, x):
            return 3 * x

        def backward(self, gy):
            return 3 * gy

    x = Variable(np.array([0.5, 2.0]))
    with pytest.warns(UserWarning, match="second-order gradient is missing"):
        assert gradient_check(Sin(), x)
    Sin.factor = 1.1
    assert not gradient_check(Sin(), x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradient_check(Thrice(), x)
