"""A beginner's mistakes: what is typed, and what is said to it.

None ends in a wrong number without a word, and nine of ten end in a sentence that says
what to do.
"""

import copy
import pickle

import numpy as np
import pytest

import dezero_lite
from dezero_lite import cuda, functions
from dezero_lite.npz import load_arrays

# What is typed, and of what is said the end that helps.
ANSWERED = [
    # Variables
    ("Variable(2.0)", "use np.array(...)"),
    ("Variable([1.0, 2.0])", "use np.array(...)"),
    ('Variable("1.0")', "use np.array(...)"),
    ("Variable((1.0, 2.0))", "use np.array(...)"),
    ("Variable(Variable(a))", "use its .data, as in x.data -= lr * x.grad.data"),
    ("x.data -= 0.1 * x", "use its .data, as in x.data -= lr * x.grad.data"),
    ("np.sin(x)", "or one of dezero_lite.functions, as functions.sin for np.sin"),
    ("np.sum(x)", "use dezero_lite.functions.sum, or x.data for the array alone"),
    ("np.exp(x)", "or one of dezero_lite.functions, as functions.sin for np.sin"),
    ("np.array(x)", "or one of dezero_lite.functions, as functions.sin for np.sin"),
    (
        "np.concatenate([x, x])",
        "dezero_lite.functions.concat, or x.data for the array alone",
    ),
    ("np.mean(x)", "use dezero_lite.functions.mean, or x.data for the array alone"),
    ("np.dot(x, x)", "use x.data for the array"),
    (
        "np.maximum(x, 0)",
        "or one of dezero_lite.functions, as functions.sin for np.sin",
    ),
    ("if x > 0: pass", "more than one element is ambiguous. Use a.any() or a.all()"),
    ("if x: pass", ".all() or .any() of them are true, as in (x > 0).all()"),
    ("x > 0 and x < 1", "more than one element is ambiguous. Use a.any() or a.all()"),
    ("x + [1.0, 2.0, 3.0]", "use np.array(...)"),
    ('x + "1"', "use np.array(...)"),
    (
        "x + Variable(np.ones(4))",
        "the last axis, two lengths must be equal, or one of them 1",
    ),
    (
        "x * np.ones((2, 4))",
        "the last axis, two lengths must be equal, or one of them 1",
    ),
    (
        "x @ np.ones((4, 2))",
        "but one axis of W must agree, but they have 3 and 4 elements",
    ),
    ("float(x)", "one of its elements, as in x[0], or sum() or mean() of them"),
    ('f"{x:.2f}"', "one of its elements, as in x[0], or sum() or mean() of them"),
    ("x.item()", "one of its elements, as in x[0], or sum() or mean() of them"),
    ("x.backward()", "compute something from it first"),
    (
        ("with no_grad(): y = x * 2\ny.backward()"),
        "under no_grad, so that no function is recorded as its creator",
    ),
    (
        "(x.detach()).backward()",
        "its graph, so that no function is recorded as its creator",
    ),
    (
        "Variable(np.array([1, 2])).sum().backward()",
        "dtype=float), or use the plain array in place of the Variable",
    ),
    (
        "y = x * 2; y.grad = np.ones(2); y.backward()",
        "a gradient has the shape of its Variable",
    ),
    ("y = x * 2; y.grad = 1; y.backward()", "a gradient has the shape of its Variable"),
    ("with no_grad: pass", "write `with no_grad():`"),
    ("with test_mode: pass", "write `with test_mode():`"),
    (
        'with using_config("trian", False): pass',
        "'trian': the settings are 'enable_backprop' and 'train'",
    ),
    ("copy.deepcopy(x * 2)", "detach() it first"),
    ("pickle.dumps(x * 2)", "detach() it first"),
    ('x["a"]', "(`None`) and integer or boolean arrays are valid indices"),
    ("x[0] = 1.0", "put results together with functions.where or functions.concat"),
    ("x.reshape(2, 2)", "it has 3 elements, the new shape 4"),
    ("x.transpose(0, 1)", "name each of its 1 axes once"),
    ("x.sum(1)", "is a whole number from -1 to 0, or a tuple of different ones"),
    ("X.sum(0, 1)", "name several axes in a tuple, as in x.sum((1, 2))"),
    ('X.sum("rows")', "is a whole number from -2 to 1, or a tuple of different ones"),
    ("X.max(axis=2)", "is a whole number from -2 to 1, or a tuple of different ones"),
    ("X.mean(5)", "is a whole number from -2 to 1, or a tuple of different ones"),
    (
        "for v in Variable(np.array(1.0)): pass",
        "of shape () and dtype float64 has no axis to go along",
    ),
    ("int(x)", "one of its elements, as in x[0], or sum() or mean() of them"),
    ('x ** "2"', "use np.array(...)"),
    (
        "y = x * 2; y.unchain(); y.backward()",
        "its graph, so that no function is recorded as its creator",
    ),
    # functions
    ("F.relu([1.0, 2.0])", "but was given a list: use np.array(...)"),
    ("F.relu(None)", "a gradient is None until backward has run"),
    (
        "F.softmax(x, axis=3)",
        "is a whole number from -1 to 0, or a tuple of different ones",
    ),
    ("F.reshape(x, (2, 2))", "it has 3 elements, the new shape 4"),
    (
        "F.broadcast_to(x, (2, 2))",
        "the last axis, its lengths must be those of the shape, or 1",
    ),
    ("F.sum_to(x, (2,))", "that does not broadcast back to it"),
    (
        "F.matmul(x, np.ones((2, 2)))",
        "but one axis of W must agree, but they have 3 and 2 elements",
    ),
    (
        "F.linear(X, np.ones((4, 2)))",
        "but one axis of W must agree, but they have 3 and 4 elements",
    ),
    (
        "F.linear(X, np.ones((3, 2)), np.ones(3))",
        "but b is an array of shape (3,) and dtype float64",
    ),
    ("F.mean_squared_error(np.ones((4, 1)), np.ones(4))", "use x1.reshape(4, 1)"),
    (
        "F.softmax_cross_entropy(X, np.array([0, 3]))",
        "so that labels go from 0 to 2, but t holds labels from 0 to 3",
    ),
    ("F.softmax_cross_entropy(X, np.array([0.0, 1.0]))", "use t.astype(int)"),
    (
        "F.softmax_cross_entropy(X, np.eye(3)[:2])",
        "for one-hot rows use t.argmax(axis=1)",
    ),
    (
        "F.softmax_cross_entropy(X, np.array([0, 1, 2]))",
        "one label for each row of scores",
    ),
    ("F.softmax_cross_entropy(X, [0, 1])", "use np.array(...)"),
    (
        "F.softmax_cross_entropy(x, np.array([0, 1, 2]))",
        "but was given a Variable of shape (3,) and dtype float64",
    ),
    ("F.sigmoid_cross_entropy(X, np.array([0, 1, 0]))", "they need the same shape"),
    (
        "F.binary_cross_entropy(X + 5, np.ones((2, 3)))",
        "for scores before the sigmoid use sigmoid_cross_entropy",
    ),
    ("F.accuracy(X, np.array([0.5, 1.0]))", "use t.astype(int)"),
    ("F.dropout(x, 1.0)", "to drop everything leaves nothing to learn from"),
    ("F.dropout(x, 50)", "to drop everything leaves nothing to learn from"),
    ("F.clip(x, 1, 0)", "the lower limit of clip, 1, is above the upper one, 0"),
    ("F.clip(x, a, a)", "that differ from place to place use maximum and minimum"),
    ("F.concat(x)", "concat([x0, x1])"),
    ("F.concat(x, x)", "concat([x0, x1])"),
    ("F.concat([X, x])", "they need that axis, and the same length in every other"),
    ("F.stack([])", "stack([x0, x1])"),
    ("F.split(x, 2)", "shape (3,) and dtype float64 along axis 0 into 2 equal parts"),
    ("F.squeeze(X, 0)", "only an axis of length 1 can be left out"),
    ('F.pad(X, "1")', "so that it is made of whole numbers from 0 on, not 1"),
    ("F.pad(X, -1)", "so that it is made of whole numbers from 0 on, not -1"),
    ("F.where(None, x, x)", "truth values such as x > 0, but the condition is None"),
    (
        "F.maximum(x, np.ones(4))",
        "the last axis, two lengths must be equal, or one of them 1",
    ),
    ("F.embed_id(np.array([0.0]), np.ones((3, 2)))", "use x.astype(int)"),
    (
        "F.embed_id(np.array([3]), np.ones((3, 2)))",
        "an array of shape (3, 2) and dtype float64, has rows 0 to 2",
    ),
    ("F.conv2d(X, np.ones((1, 1, 3, 3)))", "x.reshape(...) makes it so"),
    (
        "F.conv2d(np.ones((1, 3, 2, 2)), np.ones((4, 3, 3, 3)))",
        "it is larger than an image with its border",
    ),
    (
        "F.conv2d(np.ones((1, 1, 8, 8)), np.ones((4, 3, 3, 3)))",
        "W has the shape (OC, C / groups, KH, KW)",
    ),
    (
        "F.conv2d(images, np.ones((4, 1, 3, 3)), stride=0)",
        "the stride is (0, 0), but must be at least 1",
    ),
    (
        "F.conv2d(images, np.ones((4, 1, 3, 3)), pad=-1)",
        "the pad is (-1, -1), but a border cannot be negative",
    ),
    ("F.pooling(images, 9)", "it is larger than an image with its border"),
    ("F.pooling(images, 2, 1, 2)", "the pad must be smaller than the window"),
    ("F.pooling(X, 2)", "x.reshape(...) makes it so"),
    ("F.flatten(np.array(1.0))", "it has no axes"),
    ("F.transpose(X, (0, 0))", "name each of its 2 axes once"),
    (
        "F.batch_norm(X, np.ones(2), np.ones(2), np.zeros(2), np.ones(2))",
        "float64, gamma is an array of shape (2,) and dtype float64",
    ),
    (
        "F.layer_norm(X, np.ones(2), np.zeros(2))",
        "float64, beta is an array of shape (2,) and dtype float64",
    ),
    ("F.max(np.ones((0,)))", "Max needs an element at least, but shape (0,) has none"),
    # functions of one's own
    (
        ("class Half(Function):\n    def forward(self, x): x / 2\nHalf()(x)"),
        "it must end in a return",
    ),
    (
        (
            "class Half(Function):\n"
            "    def forward(self, x): return x / 2\n"
            "Half()(x).backward()"
        ),
        "Half needs a backward(self, gy, ...)",
    ),
    (
        (
            "class Half(Function):\n"
            "    def forward(self, x): return x / 2\n"
            "    def backward(self, gy): gy / 2\n"
            "Half()(x).backward()"
        ),
        "it must end in a return",
    ),
    (
        (
            "class Half(Function):\n"
            "    def forward(self, x): return x / 2\n"
            "    def backward(self, gy): return gy / 2, gy\n"
            "Half()(x).backward()"
        ),
        "return one for each",
    ),
    (
        (
            "class Half(Function):\n"
            "    def forward(self, x): return x / 2\n"
            "    def backward(self, gy): return gy.sum()\n"
            "Half()(x).backward()"
        ),
        "broadcasts, sum_to(gx, x.shape) in backward undoes it)",
    ),
    (("class Half(Function): pass\nHalf()(x)"), "Half needs a forward(self, x, ...)"),
    # layers
    ("Linear(784, 10)", "of what goes in by its name, as in Linear(10, in_size=784)"),
    ('Linear("10")', "Linear must be a whole number and not negative, but is '10'"),
    ("Linear(-1)", "of Linear must be a whole number and not negative, but is -1"),
    (
        "Linear(10)(np.ones(()))",
        "input, but an array of shape () and dtype float64 has none",
    ),
    (
        "Linear(2, in_size=4)(X)",
        "but one axis of W must agree, but they have 3 and 4 elements",
    ),
    ("Conv2d(4, 3)(X)", "x.reshape(...) makes it so"),
    (
        'Conv2d(4, "3")(images)',
        "a whole number, or two of them for height and width, not '3'",
    ),
    ("Conv2d(4, 9)(images)", "it is larger than an image with its border"),
    ("Conv2d(4, 3, groups=3)", "4 output channels do not divide into 3 groups"),
    ("m = Model(); m(x)", "Model needs a forward(self, x), which computes its output"),
    (
        ("class Net(Model):\n    def forward(self, x): x * 2\nNet()(x)"),
        "it must end in a return",
    ),
    (
        (
            "class Net(Model):\n"
            "    def __init__(self):\n"
            "        super().__init__(); self.ls = {Linear(2), Linear(3)}\n"
            "list(Net().params())"
        ),
        "use a list",
    ),
    (
        (
            "class Net(Model):\n"
            "    def __init__(self):\n"
            "        super().__init__(); self.w = Variable(np.ones(3))\n"
            "    def forward(self, x): return x * self.w\n"
            "m = Net(); m(x).backward(); list(m.params())"
        ),
        "it a Parameter, or a plain array if it is not to be learned",
    ),
    (
        "RNN(3)(np.ones((2, 3, 4)))",
        "but was given an array of shape (2, 3, 4) and dtype float64",
    ),
    ("r = RNN(3); r(X); r(np.ones((4, 3)))", "reset_state() begins new ones"),
    ("LSTM(3)(x)", "but was given a Variable of shape (3,) and dtype float64"),
    (
        "EmbedID(10, 4)(np.array([10]))",
        "'W' of shape (10, 4) and dtype float32, has rows 0 to 9",
    ),
    ("EmbedID(10, 4)(np.array([1.0]))", "use x.astype(int)"),
    (
        "BatchNorm()(images[0])",
        "H, W), but x is an array of shape (1, 8, 8) and dtype float64",
    ),
    ("Dropout(2)(X)", "to drop everything leaves nothing to learn from"),
    (
        "LayerNorm()(np.array(1.0))",
        "input, but an array of shape () and dtype float64 has none",
    ),
    # models
    ("MLP(100, 10)", "MLP((100, 10)), not MLP(100)"),
    (
        'MLP((100, 10), "relu")',
        "not 'relu'; sizes come in one tuple, as in MLP((100, 10))",
    ),
    (
        "MLP((100, 10), activation=F.relu(x))",
        "sizes come in one tuple, as in MLP((100, 10))",
    ),
    ("MLP(())", "MLP((100, 10)), not MLP(())"),
    ("Sequential([Linear(2), Linear(3)])", "of a list, write Sequential(*layers)"),
    ("Sequential(Linear(2), 3)", "of a list, write Sequential(*layers)"),
    (
        "Sequential(Linear, F.relu)(X)",
        "number 0 is the class Linear: make one, as in Linear(...)",
    ),
    ("ResNet(18)", "there is a ResNet of 50, 101 or 152 layers, but not of 18"),
    ("VGG16()(X)", "x.reshape(...) makes it so"),
    (
        "VGG16.preprocess(images)",
        "takes an image of Pillow, Image.open(path), not an ndarray",
    ),
    ('model.save_weights("no_such_folder/w.npz")', "make it first"),
    ("model.save_weights(folder)", "say what to call the file in it"),
    (
        'MLP((3, 2)).save_weights(folder + "/w.npz")',
        "their sizes, or give each its input size when it is made",
    ),
    ('model.load_weights("missing.npz")', "there is no file missing.npz"),
    ("model.load_weights(other_weights)", "l0/W (file: (3, 5), model: (3, 4))"),
    ("model.load_weights(text_file)", "cannot be read as an .npz file of plain arrays"),
    # optimizers
    (
        "SGD().setup(model.params())",
        "setup takes a Layer or a Model, but was given a generator",
    ),
    ("SGD().setup([model])", "setup takes a Layer or a Model, but was given a list"),
    ("SGD().setup(x)", "setup takes a Layer or a Model, but was given a Variable"),
    ("SGD(model)", "SGD takes a number for lr, not MLP("),
    ('SGD("0.1").setup(model)', "SGD takes a number for lr, not '0.1'"),
    ("SGD().update()", "say optimizer = SGD(...).setup(model)"),
    (
        "SGD().setup(Model())",
        "its layers in its first call, call it once before setup)",
    ),
    ("SGD().setup(F.relu)", "setup takes a Layer or a Model, but was given a function"),
    (
        (
            "o = SGD().setup(model); "
            "next(iter(model.params())).grad = np.ones(5); "
            "o.update()"
        ),
        "it must be a Variable like (3, 4)",
    ),
    (
        ("o = SGD().setup(model); next(iter(model.params())).grad = 1; o.update()"),
        "it must be a Variable like (3, 4)",
    ),
    (
        "Adam().setup(model).load_state(sgd_state)",
        "holds the state of SGD, not of Adam",
    ),
    (
        "o = SGD().setup(model); o.add_hook(WeightDecay); o.update()",
        "as WeightDecay(1e-4) is, so it cannot be WeightDecay",
    ),
    ('WeightDecay("0.1")', "WeightDecay takes a number for rate, not '0.1'"),
    ("ClipGrad(None)", "ClipGrad takes a number for max_norm, not None"),
    # data
    (
        "DataLoader(digits, 0)",
        "a batch has at least one example, so batch_size=0 is too small",
    ),
    ("DataLoader(digits, 2.5)", "batch_size is a whole number, not 2.5"),
    (
        "DataLoader(digits, -3)",
        "batch has at least one example, so batch_size=-3 is too small",
    ),
    ("DataLoader(digits, 5000, drop_last=True)", "drop_last=True leaves nothing"),
    ("list(DataLoader(a, 2))", "a data set gives pairs (example, label)"),
    ("list(DataLoader([1, 2, 3], 2))", "a data set gives pairs (example, label)"),
    (
        "DataLoader(3, 2)",
        "takes a data set, which has len(data) and data[i], not an int",
    ),
    ("SeqDataLoader(digits, 5000)", "use a smaller batch_size"),
    (
        (
            "class D(Dataset):\n"
            "    def prepare(self): self.data = np.ones(3); self.label = np.ones(2)\n"
            "D()"
        ),
        "there must be one for each",
    ),
    ("Digits(transform=Resize(4))[0]", "ToPIL() makes one of an array"),
    (
        "Digits(transform=Normalize(0, 0))",
        "Normalize divides by std, so std=0 must hold no 0",
    ),
    (
        "Normalize([1, 2, 3], 1)(np.ones((1, 8, 8)))",
        "give one number, or one for each channel",
    ),
    ('Resize("4")', "number or a pair of them, such as 32 or (32, 24), not '4'"),
    ("Resize(0)", "has at least one pixel each way, so a size of 0 makes none"),
    ("CenterCrop(99)(pil)", "use Resize before it"),
    ("ToPIL()(np.ones((3, 4, 4)))", "use AsType(np.uint8) before it"),
    (
        "ToPIL()(np.ones((4, 4), np.uint8))",
        "an image of shape (C, H, W), where C is 1, 3 or 4, not (4, 4)",
    ),
    (
        "RandomCrop(99)(np.ones((1, 8, 8)))",
        "width) out of an image of (8, 8), its pad of 0 included",
    ),
    (
        "RandomHorizontalFlip(2)",
        "RandomHorizontalFlip takes a probability from 0 to 1, not p=2",
    ),
    (
        "Compose([3])(a)",
        "of transforms, as in Compose([Flatten(), ToFloat()]), not [3]",
    ),
    ("Compose(Resize(4))", "as in Compose([Flatten(), ToFloat()])"),
    ("Normalize()(pil)", "ToArray() makes an array of a Pillow image"),
    ("MNIST()", "so put the file there"),
    ('CIFAR100.labels("big")', "label_type is 'fine' or 'coarse', not 'big'"),
    # files
    (
        'get_file("https://example.com/")',
        "say what to call the file, as in file_name='data.txt'",
    ),
    (
        'get_file("https://example.com/x", "../x")',
        "name, or one that begins with folders, as in 'mnist/train.gz'",
    ),
    ("load_arrays(text_file)", "cannot be read as an .npz file of plain arrays"),
    # others
    ("cuda.as_cupy(a)", "GPU and CuPy, which `pip install cupy-cuda12x` installs"),
    ("x.to_gpu()", "GPU and CuPy, which `pip install cupy-cuda12x` installs"),
    (
        'plot_dot_graph(x * 2, to_file="graph.gif")',
        "'graph.gif': the file's ending has to be one of png, svg, pdf",
    ),
    (
        "plot_dot_graph(a)",
        "of a Variable and what it was computed by, not of an ndarray",
    ),
    ("get_dot_graph(a)", "and what it was computed by, not of an ndarray"),
]

# Python or NumPy speaks: it names what is wrong, but not what to do.
IN_PYTHONS_WORDS = [
    ("x - 0.1 * x.grad", "unsupported operand type(s) for *: 'float' and 'NoneType'"),
    ("x[5]", "index 5 is out of bounds"),
    ("x[1, 2]", "array is 1-dimensional, but 2 were indexed"),
    ('x.reshape("a")', "'str' object cannot be interpreted as an integer"),
    ("x.shape()", "'tuple' object is not callable"),
    ("x.data()", "'numpy.ndarray' object is not callable"),
    ("x.zero_grad()", "'Variable' object has no attribute 'zero_grad'"),
    ("x.numpy()", "'Variable' object has no attribute 'numpy'"),
    ("x.requires_grad = True", "'Variable' object has no attribute 'requires_grad'"),
    ('x.astype("flaot32")', "data type 'flaot32' not understood"),
    ("F.expand_dims(x, 5)", "axis 5 is out of bounds for array of dimension 2"),
    ("F.reluu(x)", "module 'dezero_lite.functions' has no attribute 'reluu'"),
    ("model.train()", "'MLP' object has no attribute 'train'"),
    ("model.parameters()", "'MLP' object has no attribute 'parameters'"),
    ("Adam().setup(model).step()", "'Adam' object has no attribute 'step'"),
    ("digits[5000]", "index 5000 is out of bounds for axis 0 with size 1442"),
    ('digits["a"]', "'str' object cannot be interpreted as an integer"),
    (
        'dezero.manual_seed("a")',
        "SeedSequence expects int or sequence of ints for entropy not a",
    ),
    ("gradient_check(F.relu(x), x)", "'Variable' object is not callable"),
]

NEED_PILLOW = ("pil)", "preprocess", "ToPIL", "Resize(4))[0]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mistakes")


@pytest.fixture
def names(folder, monkeypatch):
    """All that somebody has at hand who has imported everything and begun to work."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DEZERO_LITE_DATA", str(folder))
    names = {}
    for module in ("layers", "models", "optimizers", "datasets", "transforms", "utils"):
        exec(f"from dezero_lite.{module} import *", names)
    exec("from dezero_lite import *", names)
    MLP, SGD, Variable = names["MLP"], names["SGD"], names["Variable"]
    X = Variable(np.arange(6.0).reshape(2, 3))
    model, other = MLP((4, 2)), MLP((5, 2))
    model(X).sum().backward()
    other(X)
    other.save_weights("other.npz")
    SGD().setup(model).save_state("sgd.npz")
    (folder / "text.npz").write_text("hello")
    return names | {
        "np": np,
        "copy": copy,
        "pickle": pickle,
        "dezero": dezero_lite,
        "F": functions,
        "cuda": cuda,
        "load_arrays": load_arrays,
        "a": np.array([1.0, 2.0, 3.0]),
        "x": Variable(np.array([1.0, 2.0, 3.0])),
        "X": X,
        "images": np.ones((2, 1, 8, 8)),
        "digits": names["Digits"](),
        "model": model,
        "folder": f"{folder}/",
        "other_weights": "other.npz",
        "sgd_state": "sgd.npz",
        "text_file": "text.npz",
    }


@pytest.mark.parametrize(("typed", "said"), ANSWERED + IN_PYTHONS_WORDS)
def test_a_mistake_is_answered(typed, said, names):
    if any(word in typed for word in NEED_PILLOW):
        names["pil"] = pytest.importorskip("PIL.Image").new("L", (8, 8))
    if ("cuda" in typed or "to_gpu" in typed) and cuda.gpu_enable:
        pytest.skip("here is a GPU")
    with pytest.raises(Exception, match=r".") as answer:  # of whatever kind
        exec(typed, names)
    assert said in str(answer.value).replace("\n", " ")


def test_nine_of_ten_are_told_what_to_do():
    count = len(ANSWERED) + len(IN_PYTHONS_WORDS)
    assert count >= 100
    assert len(ANSWERED) >= 0.9 * count


def test_none_stands_here_twice():
    typed = [mistake for mistake, _ in ANSWERED + IN_PYTHONS_WORDS]
    assert len(typed) == len(set(typed))
