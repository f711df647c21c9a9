"""The package that grows: correct to second order, equivalent to dezero_lite, and
consisting only of what the steps add.
"""

import ast
import inspect
import math
import textwrap
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import dezero_lite as lite
import dezero_lite.functions as LF
import dezero_lite.layers as LL
import dezero_lite.models as LM
import dezero_lite.optimizers as LO
from steps import step60
from steps.course.capabilities import CAPABILITIES, WORKS, run_probe
from steps.course.definitions import find_globals
from steps.course.definitions import read_definitions as parts_of
from steps.course.lessons import ROOT, read_header
from steps.course.module_text import ModuleText
from steps.course.workshop.package import MODULES_OF_STAGE_7, read_introductions
from steps.framework import attention, gpt
from tests.package.function_calls import CALLS, function_of
from tests.support.programs import python

FOLDER = ROOT / "steps" / "framework"
ALL_ROOMS = [path.stem for path in sorted(FOLDER.glob("[!_]*.py"))]
# The others are for stage 7, on the learner's own package.
ROOMS = [room for room in ALL_ROOMS if room not in MODULES_OF_STAGE_7]
STEPS = range(33, 61)
DRAWING = {"get_dot_graph", "plot_dot_graph", "play"}  # these draw every framework


def numbers(*shape, low=-1.0, high=1.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, shape)


WHOLE = SimpleNamespace(**vars(attention) | vars(gpt) | vars(step60))
MASK = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], bool)  # the last one sees nothing

# Operations without a name of their own, besides the functions that both packages have.
CASES = {name: call for name, call in CALLS.items() if hasattr(WHOLE, name)} | {
    "pow": ("lambda x: x**3", numbers(3)),
    "add": ("lambda a, b: (a + b) ** 2", numbers(3, 1), numbers(4)),
    "sub": ("lambda a, b: (a - b) ** 2", numbers(3, 1), numbers(2, 1, 4)),
    "mul": ("lambda a, b: a * b", numbers(3, 1), numbers(4)),
    "div": ("lambda a, b: a / b", numbers(3, 1), numbers(4, low=0.5)),
    "with numbers": ("lambda x: 2 - 3 * x / 4 + 1 / x", numbers(3, low=0.5)),
    "x.reshape": ("lambda x: x.reshape(2, 3) * x.reshape((2, 3))", numbers(6)),
    "x.T": ("lambda x: x.T**2 + x.transpose(1, 0)", numbers(2, 3)),
    "x[...]": ("lambda x: x[[0, 0, 2], 1:] ** 2", numbers(3, 3)),
    "matmul of vectors": ("matmul", numbers(3), numbers(3)),
    "matmul of a row": ("matmul", numbers(3), numbers(5, 3, 4)),
    "matmul of a column": ("matmul", numbers(5, 2, 3), numbers(3)),
    "matmul of stacks": ("matmul", numbers(2, 1, 2, 3), numbers(4, 3, 2)),
    "x @ W": ("lambda x, W: x @ W", numbers(2, 3), numbers(3, 4)),
    "batch_norm of images": (
        "in_both_modes(batch_norm)",
        *(numbers(2, 4, 2, 2), numbers(4), numbers(4, seed=1)),
    ),
    "concat of three": (
        "lambda *xs: concat(xs, axis=-1)",
        *(numbers(2, 3, 1), numbers(2, 3, 2, seed=1), numbers(2, 3, 4, seed=2)),
    ),
    "split": ("lambda x: concat([p * p for p in split(x, 2, -1)])", numbers(2, 3, 4)),
    "where with a number": ("lambda x, c: where(c, x, 2.0)", numbers(3, 3), MASK),
    "where broadcasts": ("lambda x, c: where(c, x, 0.0)", numbers(2, 1, 1, 3), MASK),
    "attention with a mask": (
        "attention",
        *(numbers(2, 3, 4), numbers(2, 3, 4, seed=1), numbers(2, 3, 2, seed=2), MASK),
    ),
    "attention_weights with a mask": (
        "attention_weights",
        *(numbers(2, 3, 4), numbers(2, 3, 4, seed=1), MASK),
    ),
    "layer_norm of stacks": (
        "layer_norm",
        *(numbers(2, 3, 4), numbers(4, seed=1), numbers(4, seed=2)),
    ),
}


def case(name, of, F):
    """Return a function of numbers only, written with one package, and arrays
    for it.
    """
    code, *inputs = CASES[name]
    f = function_of(code, of, F)
    arrays = [x for x in inputs if x.dtype.kind == "f"]
    return lambda *xs: f(*xs, *inputs[len(arrays) :]), arrays


def gradients(of, f, arrays):
    """Return the value of Σ f³, and its derivatives with respect to all inputs, to
    second order.
    """
    xs = [of.Variable(array) for array in arrays]
    y = f(*xs)
    (y * y * y).sum().backward(create_graph=True)
    first = [x.grad for x in xs]
    for x in xs:
        x.cleargrad()
    total = sum((g * g).sum() for g in first)
    total.backward()
    return [y.data, *[g.data for g in first], *[x.grad.data for x in xs]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_the_two_packages_agree_to_second_order(name, dtype):
    ours, theirs = (
        gradients(of, f, [array.astype(dtype) for array in arrays])
        for of, F in [(WHOLE, WHOLE), (lite, LF)]
        for f, arrays in [case(name, of, F)]
    )
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.dtype, mine.shape) == (dtype, other.shape)
        scale = np.abs(other).max() + 1e-3
        assert np.abs(mine - other).max() / scale < 1e3 * np.finfo(dtype).eps


def random_program(F, x, rng):
    unary = [F.sin, F.tanh, F.sigmoid, F.exp, F.softmax, F.relu, lambda v: 0.5 * v - 1]
    known = [x]
    for _ in range(12):
        a, b = (known[i] for i in rng.integers(len(known), size=2))
        kind = rng.integers(4)
        if kind == 0:
            known.append(F.tanh(a * b + F.sum(a, 1, True)))
        elif kind == 1:
            known.append(F.tanh(F.matmul(a, F.transpose(b)) @ x))
        elif kind == 2:
            known.append(F.mean(a, 0) - b[::-1])
        else:
            known.append(unary[rng.integers(len(unary))](F.tanh(a)))
    return known[-1] + known[-2]


@pytest.mark.parametrize("seed", range(20))
def test_the_two_packages_agree_on_random_programs(seed):
    def program(F):
        return lambda x: random_program(F, x, np.random.default_rng(seed))

    array = numbers(3, 4, seed=seed)
    ours = gradients(step60, program(step60), [array])
    theirs = gradients(lite, program(LF), [array])
    for mine, other in zip(ours, theirs, strict=True):
        assert np.allclose(mine, other, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", ["RNN", "LSTM"])
def test_sequences_are_right_to_second_order(kind):
    rnn = getattr(step60, kind)(2, in_size=3, dtype=np.float64)

    def last(x0, x1, x2):
        rnn.reset_state()
        return [rnn(x) for x in (x0, x1, x2)][-1]

    xs = [step60.Variable(numbers(2, 3, seed=seed)) for seed in range(3)]
    assert step60.gradient_check(last, *xs)


def test_the_judge_sees_a_wrong_gradient_and_a_wrong_second_one(capsys):
    class WrongFirst(step60.Exp):
        def backward(self, gy):
            return 1.001 * super().backward(gy)

    class WrongSecond(step60.Exp):
        def backward(self, gy):
            return np.exp(self.inputs[0].data) * gy

    x = step60.Variable(numbers(3))
    assert step60.gradient_check(lambda x: step60.Exp()(x), x)
    assert not step60.gradient_check(lambda x: WrongFirst()(x), x)
    assert "the gradient" in capsys.readouterr().out
    assert not step60.gradient_check(lambda x: WrongSecond()(x), x)
    assert "the second derivative" in capsys.readouterr().out


def test_a_kept_gradient_does_not_count_twice():
    a = step60.Variable(np.array(2.0))
    b = a * a
    (b * b).backward(retain_grad=True)
    a.cleargrad()
    (b * 3).backward()
    assert a.grad.data == 12.0


def test_a_walk_that_keeps_gradients_has_the_same_second_derivative():
    x = step60.Variable(np.array(2.0))
    a = x * x
    (a * a).backward(retain_grad=True, create_graph=True)
    slope = x.grad
    x.cleargrad()
    slope.backward()
    assert x.grad.data == 48.0


@pytest.mark.parametrize("c", range(4))
def test_powers_are_flat_at_0_from_some_order_on(c):
    x = step60.Variable(np.array(0.0))
    y, found = x**c, []
    for _ in range(c + 2):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
        found.append(y.data.item())
    assert found == [*[0.0] * (c - 1), *[math.factorial(c)] * (c > 0), 0.0, 0.0]


def test_an_update_by_a_variable_is_named_in_the_next_function():
    x = step60.Variable(np.array(2.0))
    (x**2).backward()
    x.data -= 0.1 * x.grad
    for f in (lambda x: x**2, lambda x: 1 - x, step60.sin):
        with pytest.raises(TypeError, match=r"x\.data -= lr \* x\.grad\.data"):
            f(x)


def test_many_equal_numbers_of_float16_share_a_maximum():
    x = step60.Variable(np.ones(70_000, np.float16))
    step60.max(x).backward()
    assert x.grad.dtype == np.float16
    assert np.allclose(x.grad.data, 1 / 70_000, rtol=1e-2)


def test_batch_norm_in_use_keeps_float32_beside_averages_of_float64():
    x = step60.Variable(np.ones((4, 3), np.float32))
    ones = np.ones(3, np.float32)
    with step60.test_mode():
        y = step60.batch_norm(x, ones, ones, np.zeros(3), np.ones(3))
    assert y.dtype == np.float32


# --- layers and training --------------------------------------------------------------


def trained(of, L, M, opt, F, make, optimizer, seed=0):
    """Return the losses of a model, from the same random numbers in both packages."""
    of.manual_seed(seed)
    model = make(L, M, F)
    optimizer = optimizer(opt).setup(model)
    optimizer.add_hook(opt.WeightDecay(1e-3))
    optimizer.add_hook(opt.ClipGrad(1.0))
    x, t = numbers(8, 1, 6, 6), np.arange(8) % 3
    losses = []
    for _ in range(5):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.data.item())
    with of.test_mode():
        return [*losses, *model(x).data.ravel()]


def images(L, M, F):
    return M.Sequential(
        L.Conv2d(4, kernel_size=3, pad=1, nobias=True, dtype=np.float64),
        L.BatchNorm(dtype=np.float64),
        F.relu,
        lambda x: F.pooling(x, 2, 2),
        L.Deconv2d(2, kernel_size=2, stride=2, dtype=np.float64),
        L.Dropout(0.3),
        F.flatten,
        L.Linear(3, dtype=np.float64),
    )


def rows(L, M, F):
    return M.Sequential(F.flatten, M.MLP((5, 3), F.relu))


def places(L, M, F):
    return M.Sequential(
        lambda x: F.reshape(x, (8, 6, 6)),
        L.TransformerBlock(6, 2, 0.2, dtype=np.float64),
        L.LayerNorm(dtype=np.float64),
        F.gelu,
        F.flatten,
        L.Linear(3, dtype=np.float64),
    )


@pytest.mark.parametrize("make", [images, rows, places])
@pytest.mark.parametrize(
    "optimizer",
    [
        lambda opt: opt.SGD(0.1),
        lambda opt: opt.MomentumSGD(0.1),
        lambda opt: opt.AdaGrad(0.1),
        lambda opt: opt.AdaDelta(),
        lambda opt: opt.Adam(0.01),
    ],
)
def test_the_two_packages_learn_alike(make, optimizer):
    ours = trained(*[WHOLE] * 5, make, optimizer)
    theirs = trained(lite, LL, LM, LO, LF, make, optimizer)
    assert np.allclose(ours, theirs, rtol=1e-4 if make is rows else 1e-7)
    assert ours[4] < ours[0]


@pytest.mark.parametrize("optimizer", [step60.AdaGrad, step60.AdaDelta, step60.Adam])
def test_a_gradient_of_0_changes_nothing_in_float16(optimizer):
    layer = step60.Layer()
    layer.p = step60.Parameter(np.ones(2, np.float16))
    optimizer = optimizer().setup(layer)
    layer.p.grad = step60.Variable(np.array([0.0, 1.0], np.float16))
    optimizer.update()
    assert layer.p.dtype == np.float16
    assert layer.p.data[0] == 1.0 > layer.p.data[1]


def test_a_layer_finds_each_of_its_parameters_once():
    class Net(step60.Layer):
        def __init__(self):
            self.first = step60.Linear(2, in_size=1)
            self.again = self.first
            self.rest = [step60.Linear(1, in_size=2), {"b": step60.Parameter(None)}]
            self.me = self

    names = [name for name, _ in Net().named_params()]
    assert names == ["first/W", "first/b", "rest/0/W", "rest/0/b", "rest/1/b"]


def test_weights_come_back_from_a_file_or_nothing_changes(tmp_path):
    net, other = (step60.MLP((3, 2)) for _ in range(2))
    net(np.ones((1, 4)))
    net.save_weights(tmp_path / "net.npz")
    other.load_weights(tmp_path / "net.npz")
    assert np.array_equal(net(np.ones((1, 4))).data, other(np.ones((1, 4))).data)
    third = step60.MLP((3, 2, 1))
    with pytest.raises(ValueError, match="l2/W"):
        third.load_weights(tmp_path / "net.npz")
    assert all(p.data is None for p in third.params() if p.name == "W")


def test_weights_that_are_not_there_yet_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match="call the model once"):
        step60.MLP((3, 2)).save_weights(tmp_path / "net.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["Spiral", "Digits", "SinCurve"])
def test_data_sets_are_those_of_dezero_lite(name):
    for train in (True, False):
        step60.manual_seed(0)
        lite.manual_seed(0)
        ours = getattr(step60, name)(train)
        theirs = getattr(lite.datasets, name)(train)
        for mine, other in zip(ours[:], theirs[:], strict=True):
            assert mine.dtype == other.dtype
            assert np.array_equal(mine, other)


@pytest.mark.parametrize("kind", ["DataLoader", "SeqDataLoader"])
def test_loaders_give_the_batches_of_dezero_lite(kind):
    options = {"seed": 0} if kind == "DataLoader" else {}
    ours = getattr(step60, kind)(step60.Spiral(), 32, **options)
    theirs = getattr(lite, kind)(lite.datasets.Spiral(), 32, **options)
    assert len(ours) == len(theirs)
    for _ in range(2):
        for mine, other in zip(ours, theirs, strict=True):
            assert np.array_equal(mine[0], other[0])
            assert np.array_equal(mine[1], other[1])


def test_unchained_variables_have_no_past():
    x = step60.Variable(np.array(2.0))
    a = x * x
    y = a * a
    y.unchain_backward()
    y.backward()
    assert (a.creator, x.grad) == (None, None)
    assert a.grad.data == 8.0


@pytest.mark.parametrize("name", CASES)
def test_variables_of_the_two_packages_do_not_mix(name):
    if any(sign in name for sign in ("x.", "pow", "numbers", "x[")):
        return  # methods of Variable, defined in its class
    for of, package, F in ((lite, WHOLE, WHOLE), (step60, lite, LF)):
        f, arrays = case(name, package, F)
        first = of.Variable(arrays[0])
        others = [array.copy() for array in arrays[1:]]
        if name in ("add", "sub", "mul", "div", "x @ W"):
            mine = {lite: step60, step60: lite}[of]
            others = [mine.Variable(array) for array in others]
        with pytest.raises(TypeError, match="two frameworks do not mix") as caught:
            f(first, *others)
        assert "steps.framework.core" in str(caught.value)
        assert "dezero_lite" in str(caught.value)


# --- growth ---------------------------------------------------------------------------


def module(number):
    return import_module(f"steps.step{number}")


def growth(number):
    before = set(module(number - 1).__all__) if number > 33 else set()
    return set(module(number).__all__) - before


def definitions(name):
    """Return the functions and classes of a module, and the names that are assigned."""
    found = import_module(f"steps.framework.{name}")
    return {
        public: value
        for public, value in vars(found).items()
        if callable(value) and getattr(value, "__module__", "") == found.__name__
    }


@pytest.mark.parametrize("number", STEPS)
def test_a_step_has_what_there_is_by_then(number):
    step = module(number)
    for name in set(step.__all__) - DRAWING:
        assert getattr(step, name).__module__.startswith("steps.framework.")


def test_the_parts_that_steps_bring_are_the_package():
    brought = [name for number in STEPS for name in growth(number)]
    assert len(set(brought)) == len(brought)
    there = {name for room in ROOMS for name in definitions(room)}
    assert set(brought) - DRAWING == there


def test_the_headings_of_the_rooms_name_the_steps_that_bring_what_is_below():
    said = {}
    for room in ROOMS:
        for chunk, number in read_introductions(room).items():
            for name in parts_of(chunk):
                said[name] = min(number, said.get(name, number))
    for number in STEPS:
        names = growth(number) - DRAWING
        assert {name: said[name] for name in names} == dict.fromkeys(names, number)


@pytest.mark.parametrize("number", STEPS[1:])
def test_a_lesson_announces_nothing_of_the_package_that_its_step_does_not_bring(number):
    there = {name for room in ROOMS for name in definitions(room)}
    assert there & set(read_header(number).new) <= growth(number)


def test_methods_come_with_the_step_that_brings_them():
    script = """
import importlib
names = "reshape T sum __matmul__ __getitem__ unchain_backward".split()
for number in (37, 38, 39, 41, 47, 59):
    Variable = importlib.import_module(f"steps.step{number}").Variable
    print(number, *[name for name in names if hasattr(Variable, name)])
"""
    assert python("-c", script).stdout.splitlines() == [
        "37",
        "38 reshape T",
        "39 reshape T sum",
        "41 reshape T sum __matmul__",
        "47 reshape T sum __matmul__ __getitem__",
        "59 reshape T sum __matmul__ __getitem__ unchain_backward",
    ]


def test_nothing_broadcasts_before_step_40():
    script = """
import numpy as np
from steps.step39 import Variable
y = Variable(np.ones((3, 1))) * Variable(np.ones(4))
try:
    y.backward()
except ValueError as error:
    print(y.shape, error)
x = Variable(np.ones((3, 1))) * 2.0
x.backward()
"""
    run = python("-c", script)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("(3, 4) Mul.backward gave a gradient of shape (3, 4)")


def parts(path):
    """Return each top-level definition's source; methods of a class one by one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                key = getattr(inner, "name", ast.unparse(inner))
                found[f"{node.name}.{key}"] = ast.unparse(inner)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = ast.unparse(node)
    return found


# What differs from step 32, and why.
CHANGED = {
    "as_variable": "says whose a variable is, and where data has become one",
    "Variable.backward": "checks each gradient",
    "add": "by operands: a number takes dtype and shape of the other",
    "mul": "the same",
    "sub": "the same",
    "rsub": "the same",
    "div": "the same",
    "rdiv": "the same",
}
GONE = {"numerical_diff", "gradient_check"}  # in utils, for several inputs
ADDED = {"operands", "fitted", "check_gradient"}
LATER = {"Config.train", "test_mode", "unchain", "unchain_backward"}
LATER |= {"Parameter.'A variable that an optimizer changes.'"}


def test_core_is_the_file_of_step_32():
    before, now = parts(ROOT / "steps" / "step32.py"), parts(FOLDER / "core.py")
    before.pop("__all__")
    differ = {name for name in before if before[name] != now.get(name)}
    assert differ == {*CHANGED, *GONE}
    assert now.keys() - before.keys() == ADDED | LATER


def test_core_is_in_reading_order():
    """A definition only uses what is above it, or else close by."""
    module = ModuleText.read((FOLDER / "core.py").read_text(encoding="utf-8"))
    names = [{*parts_of(text)} for text in module.statements]
    later = {}
    for place, text in enumerate(module.statements):
        below = set().union(*names[place + 1 :])
        if used := find_globals(text) & below:
            later[min(names[place])] = used
    assert later == {
        "Variable": {"as_variable", "check_gradient"},
        "Exp": {"exp"},
        "operands": {"fitted"},
    }


@pytest.mark.parametrize("room", ALL_ROOMS)
def test_every_definition_is_short_and_says_what_it_computes(room):
    for name, value in definitions(room).items():
        if inspect.isclass(value):
            assert value.__doc__, name
            methods = [m for m in vars(value).values() if inspect.isfunction(m)]
        else:
            methods = [value]
        for method in methods:
            tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
            lines = {n.lineno for n in ast.walk(tree) if hasattr(n, "lineno")}
            assert len(lines) <= 25, (name, method.__name__)


@pytest.mark.parametrize(
    ("rooms", "least", "most"),
    [(ROOMS, 950, 1200), (MODULES_OF_STAGE_7, 150, 250)],
)
def test_the_whole_is_a_dozen_pages_and_stage_7_three(rooms, least, most):
    lines = 0
    for room in rooms:
        text = (FOLDER / f"{room}.py").read_text(encoding="utf-8")
        # Unparsed code has neither comments nor empty lines; docstrings have one line.
        code = ast.unparse(ast.parse(text)).splitlines()
        lines += sum(bool(line) and '"""' not in line for line in code)
    assert least < lines < most


class Framework:
    """Return step 60, with the name that the first steps use for a measured slope."""

    numerical_diff = staticmethod(step60.numerical_grad)


for name in step60.__all__:
    value = getattr(step60, name)
    value = staticmethod(value) if inspect.isfunction(value) else value
    setattr(Framework, name, value)


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda row: row.name)
def test_it_can_do_what_the_steps_can_do(capability):
    assert run_probe(capability.probe, Framework)[0] == WORKS
