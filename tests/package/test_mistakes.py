"""A beginner's mistakes: what is typed, and what is said to it.

None ends in a wrong number without a word, and most end in a sentence that says what to
do.
"""

import copy
import pickle
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

import dezero_lite
from dezero_lite import functions
from tests.support.mistakes import complaint, mistakes

# What is typed, and of what is said the end that helps. Mistakes with one function
# stand in the tests of that function.
ANSWERED = {
    "Variables": """
>>> Variable(2.0)
>>> Variable([1.0, 2.0])
>>> Variable("1.0")
>>> Variable((1.0, 2.0))
>>> x + [1.0, 2.0, 3.0]
>>> x + "1"
>>> x ** "2"
TypeError: use np.array(...)
>>> Variable(Variable(a))
>>> x.data -= 0.1 * x
TypeError: use its .data, as in x.data -= lr * x.grad.data
>>> np.sin(x)
>>> np.exp(x)
>>> np.array(x)
>>> np.maximum(x, 0)
TypeError: or one of dezero_lite.functions, as functions.sin for np.sin
>>> np.sum(x)
TypeError: use dezero_lite.functions.sum, or x.data for the array alone
>>> np.concatenate([x, x])
TypeError: dezero_lite.functions.concat, or x.data for the array alone
>>> np.mean(x)
TypeError: use dezero_lite.functions.mean, or x.data for the array alone
>>> np.dot(x, x)
TypeError: use x.data for the array
>>> if x > 0: pass
>>> x > 0 and x < 1
ValueError: more than one element is ambiguous. Use a.any() or a.all()
>>> if x: pass
ValueError: .all() or .any() of them are true, as in (x > 0).all()
>>> float(x)
>>> f"{x:.2f}"
>>> x.item()
>>> int(x)
ValueError: one of its elements, as in x[0], or sum() or mean() of them
>>> x.backward()
RuntimeError: compute something from it first
>>> with no_grad(): y = x * 2
... y.backward()
RuntimeError: under no_grad, so that no function is recorded as its creator
>>> (x * 2).detach().backward()
RuntimeError: detached from its graph, so that no function is recorded as its creator
>>> y = x * 2; y.unchain(); y.backward()
RuntimeError: unchained from its graph, so that no function is recorded as its creator
>>> Variable(np.array([1, 2])).sum().backward()
TypeError: dtype=float), or use the plain array in place of the Variable
>>> y = x * 2; y.grad = np.ones(2); y.backward()
>>> y = x * 2; y.grad = 1; y.backward()
ValueError: a gradient has the shape of its Variable
>>> with no_grad: pass
TypeError: write `with no_grad():`
>>> with test_mode: pass
TypeError: write `with test_mode():`
>>> with using_config("trian", False): pass
AttributeError: 'trian': the settings are 'enable_backprop' and 'train'
>>> copy.deepcopy(x * 2)
>>> pickle.dumps(x * 2)
TypeError: take its array, x.data, as for a plot, or x.detach() for a Variable
>>> x["a"]
IndexError: (`None`) and integer or boolean arrays are valid indices
>>> x[0] = 1.0
TypeError: put results together with functions.where or functions.concat
>>> for v in Variable(np.array(1.0)): pass
TypeError: of shape () and dtype float64 has no axis to go along
""",
    "functions": """
>>> F.relu([1.0, 2.0])
TypeError: but was given a list: use np.array(...)
>>> F.relu(None)
TypeError: a gradient is None until backward has run
>>> F.broadcast_to(x, (2, 2))
ValueError: the last axis, its lengths must be those of the shape, or 1
""",
    "functions of one's own": """
>>> class Half(Function):
...     def forward(self, x): x / 2
... Half()(x)
>>> class Half(Function):
...     def forward(self, x): return x / 2
...     def backward(self, gy): gy / 2
... Half()(x).backward()
TypeError: it must end in a return
>>> class Half(Function):
...     def forward(self, x): return x / 2
... Half()(x).backward()
NotImplementedError: Half needs a backward(self, gy, ...)
>>> class Half(Function):
...     def forward(self, x): return x / 2
...     def backward(self, gy): return gy / 2, gy
... Half()(x).backward()
ValueError: return one for each
>>> class Half(Function):
...     def forward(self, x): return x / 2
...     def backward(self, gy): return gy.sum()
... Half()(x).backward()
ValueError: broadcasts, sum_to(gx, x.shape) in backward undoes it)
>>> class Half(Function): pass
... Half()(x)
NotImplementedError: Half needs a forward(self, x, ...)
""",
    "layers": """
>>> Linear(784, 10)
TypeError: of what goes in by its name, as in Linear(10, in_size=784)
>>> Linear("10")
ValueError: Linear must be a whole number and not negative, but is '10'
>>> Linear(-1)
ValueError: of Linear must be a whole number and not negative, but is -1
>>> Linear(10)(np.ones(()))
>>> LayerNorm()(np.array(1.0))
ValueError: input, but an array of shape () and dtype float64 has none
>>> Conv2d(4, 3, groups=3)
ValueError: 4 output channels do not divide into 3 groups
>>> m = Model(); m(x)
NotImplementedError: Model needs a forward(self, x), which computes its output
>>> class Net(Model):
...     def forward(self, x): x * 2
... Net()(x)
TypeError: it must end in a return
>>> class Net(Model):
...     def __init__(self):
...         super().__init__(); self.ls = {Linear(2), Linear(3)}
... list(Net().params())
TypeError: use a list
>>> class Net(Model):
...     def __init__(self):
...         super().__init__(); self.w = Variable(np.ones(3))
...     def forward(self, x): return x * self.w
... m = Net(); m(x).backward(); list(m.params())
TypeError: it a Parameter, or a plain array if it is not to be learned
>>> RNN(3)(np.ones((2, 3, 4)))
ValueError: but was given an array of shape (2, 3, 4) and dtype float64
>>> r = RNN(3); r(X); r(np.ones((4, 3)))
ValueError: reset_state() begins new ones
>>> LSTM(3)(x)
>>> GRU(3)(x)
ValueError: but was given a Variable of shape (3,) and dtype float64
""",
    "models": """
>>> MLP(100, 10)
ValueError: MLP((100, 10)), not MLP(100)
>>> MLP((100, 10), "relu")
TypeError: not 'relu'; sizes come in one tuple, as in MLP((100, 10))
>>> MLP((100, 10), activation=F.relu(x))
TypeError: sizes come in one tuple, as in MLP((100, 10))
>>> MLP(())
ValueError: MLP((100, 10)), not MLP(())
>>> MLP((5, "a"))
ValueError: out_size of Linear must be a whole number and not negative, but is 'a'
>>> Sequential([Linear(2), Linear(3)])
>>> Sequential(Linear(2), 3)
TypeError: of a list, write Sequential(*layers)
>>> Sequential(Linear, F.relu)(X)
TypeError: number 0 is the class Linear: make one, as in Linear(...)
>>> ResNet(18)
ValueError: there is a ResNet of 50, 101 or 152 layers, but not of 18
>>> from dezero_lite.models import SqueezeNet; SqueezeNet(pretrained=True)
NotImplementedError: an empty class in the book's
>>> VGG16.preprocess(images)
TypeError: takes an image of Pillow, Image.open(path), not an ndarray
""",
    "optimizers": """
>>> SGD().setup(model.params())
TypeError: setup takes a Layer or a Model, but was given a generator
>>> SGD().setup([model])
TypeError: setup takes a Layer or a Model, but was given a list
>>> SGD().setup(x)
TypeError: setup takes a Layer or a Model, but was given a Variable
>>> SGD(model)
TypeError: SGD takes a number for lr, not MLP(
>>> SGD("0.1").setup(model)
TypeError: SGD takes a number for lr, not '0.1'
>>> SGD().update()
RuntimeError: say optimizer = SGD(...).setup(model)
>>> Adam().save_state("state.npz")
RuntimeError: say optimizer = Adam(...).setup(model)
>>> Adam().setup(MLP((5, 1))).save_state("state.npz")
ValueError: 'l0/W' holds no data yet: load the model's weights
>>> Optimizer().setup(model).update()
NotImplementedError: Optimizer needs an update_one
>>> SGD().setup(Sequential(F.relu))
ValueError: Sequential has no parameters to learn: … plain Variables and arrays are not
>>> SGD().setup(Model())
ValueError: its layers in its first call, call it once before setup)
>>> SGD().setup(F.relu)
TypeError: setup takes a Layer or a Model, but was given a function
>>> o = SGD().setup(model); next(iter(model.params())).grad = np.ones(5); o.update()
>>> o = SGD().setup(model); next(iter(model.params())).grad = 1; o.update()
ValueError: it must be a Variable like (3, 4)
>>> Adam().setup(model).load_state(sgd_state)
ValueError: holds the state of SGD, not of Adam
>>> Adam().setup(model).load_state(other_weights)
ValueError: holds the state of no optimizer, not of Adam
>>> o = SGD().setup(model); o.add_hook(WeightDecay); o.update()
TypeError: as WeightDecay(1e-4) is, so it cannot be WeightDecay
>>> WeightDecay("0.1")
TypeError: WeightDecay takes a number for rate, not '0.1'
>>> ClipGrad(None)
TypeError: ClipGrad takes a number for max_norm, not None
""",
    "data": """
>>> DataLoader(digits, 0)
ValueError: a batch has at least one example, so batch_size=0 is too small
>>> DataLoader(digits, 2.5)
TypeError: batch_size is a whole number, not 2.5
>>> DataLoader(digits, "2")
TypeError: batch_size is a whole number, not '2'
>>> DataLoader([], 2)
ValueError: list has 0 examples, … : there is nothing to load
>>> next(DataLoader([([1], 0), ([1, 2], 0)], 2, shuffle=False))
ValueError: shape (1,) and (2,) make no batch
>>> DataLoader(digits, -3)
ValueError: batch has at least one example, so batch_size=-3 is too small
>>> SeqDataLoader(digits, 0)
ValueError: batch has at least one example, so batch_size=0 is too small
>>> DataLoader(digits, 5000, drop_last=True)
ValueError: drop_last=True leaves nothing
>>> list(DataLoader(a, 2))
>>> list(DataLoader([1, 2, 3], 2))
TypeError: a data set gives pairs (example, label)
>>> DataLoader(3, 2)
TypeError: takes a data set, which has len(data) and data[i], not an int
>>> SeqDataLoader(digits, 5000)
ValueError: use a smaller batch_size
>>> class D(Dataset):
...     def prepare(self): self.data = np.ones(3); self.label = np.ones(2)
... D()
ValueError: there must be one for each
>>> Digits(transform=Resize(4))[0]
TypeError: ToPIL() makes one of an array
>>> Digits(transform=Normalize(0, 0))
ValueError: Normalize divides by std, so std=0 must hold no 0
>>> Normalize([1, 2, 3], 1)(np.ones((1, 8, 8)))
ValueError: give one number, or one for each channel
>>> Resize("4")
TypeError: number or a pair of them, such as 32 or (32, 24), not '4'
>>> Resize(0)
ValueError: has at least one pixel each way, so a size of 0 makes none
>>> CenterCrop(99)(pil)
ValueError: use Resize before it
>>> ToPIL()(np.ones((3, 4, 4)))
TypeError: use AsType(np.uint8) before it
>>> ToPIL()(np.ones((4, 4), np.uint8))
ValueError: an image of shape (C, H, W), where C is 1, 3 or 4, not (4, 4)
>>> RandomCrop(99)(np.ones((1, 8, 8)))
ValueError: width) out of an image of (8, 8), its pad of 0 included
>>> RandomHorizontalFlip(2)
ValueError: RandomHorizontalFlip takes a probability from 0 to 1, not p=2
>>> Compose([3])(a)
TypeError: of transforms, as in Compose([Flatten(), ToFloat()]), not [3]
>>> Compose(Resize(4))
TypeError: as in Compose([Flatten(), ToFloat()])
>>> Normalize()(pil)
TypeError: ToArray() makes an array of a Pillow image
>>> MNIST()
FileNotFoundError: so put the file there
>>> CIFAR100.labels("big")
ValueError: label_type is 'fine' or 'coarse', not 'big'
""",
    "others": """
>>> plot_dot_graph(x * 2, to_file="graph.gif")
ValueError: 'graph.gif': the file's ending has to be one of png, svg, pdf
>>> plot_dot_graph(a)
TypeError: of a Variable and what it was computed by, not of an ndarray
>>> get_dot_graph(a)
TypeError: and what it was computed by, not of an ndarray
""",
    # Python or NumPy speaks: it names what is wrong, but not what to do.
    "in Python's words": """
>>> x - 0.1 * x.grad
>>> x.reshape("a")
>>> digits["a"]
>>> x.shape()
>>> x.data()
>>> x.astype("flaot32")
>>> dezero.manual_seed("a")
>>> gradient_check(F.relu(x), x)
TypeError
>>> x[5]
>>> x[1, 2]
>>> digits[5000]
IndexError
>>> F.expand_dims(x, 5)
AxisError
>>> x.zero_grad()
>>> x.numpy()
>>> x.requires_grad = True
>>> F.reluu(x)
>>> model.train()
>>> model.parameters()
>>> Adam().setup(model).step()
AttributeError
""",
}

# What cannot be mistaken without Pillow.
WITHOUT = () if find_spec("PIL") else ("pil)", "preprocess", "ToPIL", "Resize(4))[0]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mistakes")


@pytest.fixture(scope="module")
def all_names():
    """What somebody has at hand who has imported everything."""
    names = {}
    for module in ("layers", "models", "optimizers", "datasets", "transforms", "utils"):
        exec(f"from dezero_lite.{module} import *", names)
    exec("from dezero_lite import *", names)
    others = {"F": functions, "dezero": dezero_lite}
    for module in (copy, pickle):
        others[module.__name__.rpartition(".")[2]] = module
    if find_spec("PIL"):
        names["pil"] = import_module("PIL.Image").new("L", (8, 8))
    return names | others | {"np": np, "digits": names["Digits"]()}


@pytest.fixture
def names(all_names, folder, monkeypatch):
    """All that somebody has at hand who has begun to work, made anew at each call."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DEZERO_LITE_DATA", str(folder))
    MLP, SGD, Variable = (all_names[name] for name in ("MLP", "SGD", "Variable"))

    def made():
        X = Variable(np.arange(6.0).reshape(2, 3))
        model = MLP((4, 2))
        model(X).sum().backward()
        work = {"X": X, "x": Variable(np.array([1.0, 2.0, 3.0])), "model": model}
        return all_names | files | work | {"a": np.array([1.0, 2.0, 3.0])}

    files = {"images": np.ones((2, 1, 8, 8))}
    files |= {"other_weights": "other.npz", "sgd_state": "sgd.npz"}
    other = MLP((5, 2))
    other(np.ones((2, 3)))
    other.save_weights("other.npz")
    SGD().setup(made()["model"]).save_state("sgd.npz")
    return made


@pytest.mark.parametrize("about", ANSWERED)
def test_mistakes_are_answered(about, names):
    found = []
    for typed, said in mistakes(ANSWERED[about]):
        if not any(word in typed for word in WITHOUT):
            found.append(complaint(typed, said, names()))
    wrong = [words for words in found if words]
    assert not wrong, "\n".join(wrong)
