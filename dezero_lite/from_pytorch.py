"""PyTorch's names, and what to use here instead: for error messages, and for the page
*Coming from PyTorch*.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

#: What to write instead of a missing attribute, by the place where it is looked up.
ATTRIBUTES = {
    "Layer": {
        "train": "a layer is in training, except under `with test_mode():`",
        "eval": "use the model under `with test_mode():`",
        "to": "`model.to_gpu()` and `model.to_cpu()` move it",
        "cuda": "`model.to_gpu()` moves it",
        "cpu": "`model.to_cpu()` moves it",
        "parameters": "`model.params()` lists them",
        "named_parameters": "`model.named_params()` lists them",
        "zero_grad": "`model.cleargrads()` clears the gradients",
        "state_dict": "`model.save_weights('file.npz')` saves the weights, and "
        "`dict(model.named_params())` has them by name",
        "load_state_dict": "`model.load_weights('file.npz')` loads them, and "
        "`dezero_lite.pytorch.load_state_dict` takes PyTorch's",
        "requires_grad_": "`FreezeParam(model)`, a hook of the optimizer, keeps its "
        "parameters as they are",
        "children": "a layer's layers are its attributes",
        "modules": "a layer's layers are its attributes",
        "apply": "`model.named_params()` reaches every parameter",
        "add_module": "assign it: `model.name = layer`",
        "named_modules": "`model.named_params()` has the path of each parameter",
        "training": "`Config.train` is True, except under `with test_mode():`",
        "device": "an array knows where it is: `cuda.get_array_module(x)`",
        "half": "a layer takes its dtype in its constructor: `Linear(10, "
        "dtype=np.float16)`",
        "double": "a layer takes its dtype in its constructor: `Linear(10, "
        "dtype=np.float64)`",
        "weight": "the weights of a layer are `layer.W`",
        "bias": "the bias of a layer is `layer.b`",
        "register_buffer": "a plain array, `self.name = array`, is neither learned nor "
        "saved",
    },
    "Optimizer": {
        "zero_grad": "`model.cleargrads()` clears the gradients",
        "step": "`optimizer.update()` changes the parameters",
        "param_groups": "its settings are attributes, such as `optimizer.lr`, or "
        "`optimizer.alpha` for Adam",
        "state_dict": "`optimizer.save_state('file.npz')` saves it",
        "load_state_dict": "`optimizer.load_state('file.npz')` loads it",
        "add_param_group": "one optimizer has one target, given to `setup`",
    },
    "Variable": {
        "numpy": "`x.data` is the array",
        "cpu": "`x.to_cpu()` moves it",
        "cuda": "`x.to_gpu()` moves it",
        "to": "`x.to_gpu()` and `x.to_cpu()` move it, `x.astype(np.float32)` converts",
        "requires_grad": "every Variable takes part, except under `with no_grad():`, "
        "and the hook `FreezeParam(layer)` of an optimizer keeps parameters as they "
        "are",
        "requires_grad_": "every Variable takes part, except under `with no_grad():`",
        "grad_fn": "`x.creator` is the function that made it",
        "is_leaf": "a leaf's `x.creator` is None",
        "retain_grad": "`y.backward(retain_grad=True)` keeps all gradients",
        "zero_": "`x.cleargrad()` clears a gradient",
        "view": "`x.reshape(2, 3)` changes the shape",
        "permute": "`x.transpose(1, 0)` changes the order of axes",
        "t": "`x.T` is its transpose",
        "unsqueeze": "`F.expand_dims(x, axis)` adds an axis",
        "squeeze": "`F.squeeze(x, axis)` drops an axis",
        "flatten": "`F.flatten(x)` makes one row of each example",
        "float": "`x.astype(np.float32)` converts",
        "double": "`x.astype(np.float64)` converts",
        "half": "`x.astype(np.float16)` converts",
        "long": "`x.data.astype(int)` is an array of whole numbers",
        "dim": "`x.ndim` is the number of axes",
        "numel": "`x.size` is the number of elements",
        "clone": "`Variable(x.data.copy())` copies it",
        "tolist": "`x.data.tolist()` gives lists",
        "argmax": "`x.data.argmax(axis=1)` works on the array",
        "exp": "`F.exp(x)` computes it",
        "log": "`F.log(x)` computes it",
        "sqrt": "`F.sqrt(x)` computes it",
        "tanh": "`F.tanh(x)` computes it",
        "sigmoid": "`F.sigmoid(x)` computes it",
        "relu": "`F.relu(x)` computes it",
        "softmax": "`F.softmax(x, axis=1)` computes it",
        "clamp": "`F.clip(x, low, high)` computes it",
        "pow": "`x**2` computes it",
        "add": "`x + y` computes it",
        "mul": "`x * y` computes it",
        "div": "`x / y` computes it",
        "abs": "`abs(x)` computes it",
        "norm": "`F.sum(x**2) ** 0.5` computes it",
        "expand": "`F.broadcast_to(x, shape)` repeats it",
        "masked_fill": "`F.where(mask, value, x)` chooses",
        "contiguous": "no function asks for it",
        "device": "an array knows where it is: `cuda.get_array_module(x)`",
        "mm": "`x @ y` multiplies matrices",
        "bmm": "`x @ y` multiplies batches of matrices",
    },
    "dezero_lite.functions": {
        "cross_entropy": "`softmax_cross_entropy(x, t)` computes it",
        "nll_loss": "`softmax_cross_entropy(x, t)` takes the input of log_softmax",
        "mse_loss": "`mean_squared_error(x, t)` computes it, divided by the number of "
        "rows, not of elements",
        "binary_cross_entropy_with_logits": "`sigmoid_cross_entropy(x, t)` computes "
        "it, divided by the number of rows, not of elements",
        "max_pool2d": "`pooling(x, kernel_size, stride)` takes the largest; its stride "
        "is 1 by default",
        "avg_pool2d": "`average_pooling(x, kernel_size, stride)` takes the mean; its "
        "stride is 1 by default",
        "conv_transpose2d": "`deconv2d` computes it",
        "embedding": "`embed_id(x, W)` looks rows up",
        "cat": "`concat([x, y], axis)` joins",
        "unsqueeze": "`expand_dims(x, axis)` adds an axis",
        "permute": "`transpose(x, axes)` changes the order of axes",
        "clamp": "`clip(x, low, high)` computes it",
        "scaled_dot_product_attention": "`attention(q, k, v, mask)` computes it",
    },
    "dezero_lite.layers": {
        "ReLU": "`dezero_lite.functions.relu` is a function, called in forward",
        "GELU": "`dezero_lite.functions.gelu` is a function, called in forward",
        "Sigmoid": "`dezero_lite.functions.sigmoid` is a function, called in forward",
        "Tanh": "`dezero_lite.functions.tanh` is a function, called in forward",
        "Softmax": "`dezero_lite.functions.softmax` is a function, called in forward",
        "LeakyReLU": "`dezero_lite.functions.leaky_relu` is a function, called in "
        "forward",
        "Flatten": "`dezero_lite.functions.flatten` is a function, called in forward",
        "MaxPool2d": "`dezero_lite.functions.pooling` is a function",
        "AvgPool2d": "`dezero_lite.functions.average_pooling` is a function",
        "CrossEntropyLoss": "`dezero_lite.functions.softmax_cross_entropy` computes it",
        "BCEWithLogitsLoss": "`dezero_lite.functions.sigmoid_cross_entropy` computes "
        "it, divided by the number of rows, not of elements",
        "MSELoss": "`dezero_lite.functions.mean_squared_error` computes it",
        "ConvTranspose2d": "`Deconv2d(out_channels, kernel_size)` is this layer",
        "BatchNorm1d": "`BatchNorm()` takes its size from its first input",
        "BatchNorm2d": "`BatchNorm()` takes its size from its first input",
        "RNNCell": "`RNN(hidden_size)` takes one step at a time",
        "LSTMCell": "`LSTM(hidden_size)` takes one step at a time",
        "GRUCell": "`GRU(hidden_size)` takes one step at a time",
        "Identity": "`lambda x: x` goes into a Sequential",
        "Embedding": "`EmbedID(in_size, out_size)` is this layer",
        "Sequential": "`dezero_lite.models.Sequential(...)` chains layers",
        "ModuleList": "a plain list of layers is found",
        "Module": "derive from `Layer`, or from `dezero_lite.Model`",
        "MultiheadAttention": "`MultiHeadAttention(size, heads)` is this layer",
        "TransformerEncoderLayer": "`TransformerBlock(size, heads)` is this layer",
    },
    "dezero_lite.optimizers": {
        "lr_scheduler": "`dezero_lite.schedules` has schedules",
        "RMSprop": "`AdaDelta()` and `Adam()` are the nearest here",
        "Adagrad": "`AdaGrad()` is this one",
        "Adadelta": "`AdaDelta()` is this one",
    },
    "dezero_lite.cuda": {
        "is_available": "`cuda.gpu_enable` is True where there is a GPU to use",
    },
    "dezero_lite": {
        "cat": "`dezero_lite.functions.concat([x, y], axis)` joins",
        "Tensor": "`Variable(np.array(...))` is the box for an array",
        "tensor": "`Variable(np.array(...))` is the box for an array",
        "zeros": "`Variable(np.zeros((2, 3), np.float32))` creates it",
        "ones": "`Variable(np.ones((2, 3), np.float32))` creates it",
        "randn": "`Variable(np.random.randn(2, 3))` creates it",
        "from_numpy": "`Variable(array)` is the box for an array",
        "nn": "layers are in `dezero_lite.layers`, and functions in "
        "`dezero_lite.functions`",
        "optim": "optimizers are in `dezero_lite.optimizers`",
        "device": "`model.to_gpu()` and `model.to_cpu()` move a model",
        "float32": "dtypes are NumPy's: `np.float32`",
        "inference_mode": "`with no_grad():` records no graph",
        "set_grad_enabled": "`with using_config('enable_backprop', False):` does it",
        "enable_grad": "`with using_config('enable_backprop', True):` does it",
        "autograd": "`y.backward()` computes gradients, and `x.grad` holds them",
        "save": "`model.save_weights('file.npz')` saves weights",
        "load": "`model.load_weights('file.npz')` loads weights",
    },
}

#: What to write instead of an unknown argument, by what was called.
ARGUMENTS = {
    "Layer": {
        "in_features": "use in_size, or leave it out: the first call determines it",
        "out_features": "use out_size",
        "bias": "use nobias=True for bias=False",
        "padding": "use pad",
        "p": "use ratio",
        "inplace": "no function writes into its input",
        "num_features": "the first call determines its size",
        "normalized_shape": "the first call determines its size",
        "input_size": "use in_size",
        "num_embeddings": "use in_size",
        "embedding_dim": "use out_size",
        "embed_dim": "use size",
        "num_heads": "use heads",
        "batch_first": "a recurrent layer takes one step of each sequence at a time",
        "device": "`model.to_gpu()` moves a model",
    },
    "Optimizer": {
        "params": "`optimizer.setup(model)` takes the model",
        "lr": "Adam's learning rate is alpha, and AdaDelta has none",
        "betas": "use beta1 and beta2",
        "momentum": "MomentumSGD has a momentum",
        "weight_decay": "AdamW has a weight_decay, and for other rules, the hook "
        "WeightDecay(rate) is given to `add_hook`",
    },
    "Variable": {
        "requires_grad": "every Variable takes part, except under `with no_grad():`",
        "device": "`x.to_gpu()` moves it",
        "dtype": "`Variable(data.astype(np.float32))` converts",
    },
    "backward": {
        "retain_graph": "a graph is kept, and backward can be called again",
        "gradient": "assign it first: `y.grad = Variable(gradient)`",
    },
    "DataLoader": {
        "num_workers": "examples are read in this process",
        "collate_fn": "a batch is the arrays of its examples and of their labels",
        "pin_memory": "gpu=True gives batches on the GPU",
    },
}


def missing_attribute(kind: str, name: str, owner: str) -> AttributeError:
    """Make the error for an attribute that `owner` lacks, with what to write instead if
    the table has an entry.
    """
    answer = find_answer(kind, name)
    return AttributeError(f"{owner} has no attribute {name!r}" + _append(answer))


def find_answer(kind: str, name: str) -> str | None:
    """Return what to write instead of `name`, if the table or another module of the
    package has it.
    """
    if answer := ATTRIBUTES.get(kind, {}).get(name):
        return answer
    for place in ("functions", "layers", "models", "optimizers", "datasets"):
        module = sys.modules.get(f"dezero_lite.{place}")
        if kind.startswith("dezero_lite") and name in getattr(module, "__all__", ()):
            return f"it is `dezero_lite.{place}.{name}`"
    return None


class Missing:
    """A descriptor for a name that a class lacks but users may try. A `__getattr__`
    would slow down every attribute.
    """

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name

    def __get__(self, thing: object, owner: type) -> Any:
        raise missing_attribute(self.kind, self.name, owner.__name__)


class MissingSlot(Missing):
    """A name that cannot even be set, except in a user's subclass without slots."""

    def __get__(self, thing: object, owner: type) -> Any:
        if self.name in getattr(thing, "__dict__", ()):
            return vars(thing)[self.name]
        return super().__get__(thing, owner)

    def __set__(self, thing: object, value: object) -> None:
        if not hasattr(thing, "__dict__"):
            raise missing_attribute(self.kind, self.name, type(thing).__name__)
        vars(thing)[self.name] = value


def answer_names_of(kind: str, owner: type) -> None:
    """Make a class answer the names in its table; a subclass's own names take
    precedence.
    """
    missing = MissingSlot if "__slots__" in vars(owner) else Missing
    for name in ATTRIBUTES[kind]:
        setattr(owner, name, missing(kind, name))
    owner.__dir__ = _list_names  # type: ignore[method-assign, assignment]


def _list_names(thing: object) -> list[str]:
    """List the attributes of `thing`, without the names that are only answered."""
    names = object.__dir__(thing)
    found = {name: inspect.getattr_static(thing, name, None) for name in names}
    return [name for name in names if not isinstance(found[name], Missing)]


def unknown_argument(kind: str, names: Iterable[str]) -> TypeError:
    """Make the error for arguments that `kind` does not take."""
    return _unknown_argument(kind, kind, next(iter(names)))


def refuse_arguments(kind: str, owner: type, names: Iterable[str]) -> None:
    """Raise an error for PyTorch's name of an argument, unless the class `owner` takes
    it.

    Raises
    ------
    TypeError
        If the table lists one of the names, and the class does not take it.
    """
    for name in ARGUMENTS[kind].keys() & names:
        # Up to Python 3.10, the signature of a class is that of `__new__`.
        parameters = inspect.signature(owner.__init__).parameters  # type: ignore[misc]
        takes_all = any([p.kind is p.VAR_KEYWORD for p in parameters.values()])
        if name not in parameters and not takes_all:
            raise _unknown_argument(kind, owner.__name__, name)


def _unknown_argument(kind: str, owner: str, name: str) -> TypeError:
    answer = ARGUMENTS[kind].get(name)
    return TypeError(f"{owner} has no argument {name!r}" + _append(answer))


def _append(answer: str | None) -> str:
    return f": {answer}" if answer else ""
