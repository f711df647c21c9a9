"""The names of ``functions`` and ``functions_conv``: those that steps introduce, and
those that the book's reader looks for.
"""

import subprocess
import sys
from inspect import isclass

import pytest

from dezero_lite import core, functions, functions_conv

# What the book's modules of these names offer, but for their helpers for the GPU.
BOOK_FUNCTIONS = """
    BatchNorm BroadcastTo Clip Cos Exp Function GetItem GetItemGrad LeakyReLU Linear Log
    LogSoftmax MatMul Max MeanSquaredError Min ReLU Reshape Sigmoid Sin Softmax
    SoftmaxCrossEntropy Sum SumTo Tanh Transpose Variable
    accuracy as_array as_variable average average_pooling batch_nrom
    binary_cross_entropy broadcast_to clip col2im conv2d conv2d_simple cos deconv2d
    dropout embed_id exp expand_dims flatten get_item im2col leaky_relu linear
    linear_simple log log_softmax matmul max mean mean_squared_error
    mean_squared_error_simple min pooling pooling_simple relu reshape sigmoid
    sigmoid_cross_entropy sigmoid_simple sin softmax softmax_cross_entropy
    softmax_cross_entropy_simple softmax_simple sum sum_to tanh transpose
"""
BOOK_FUNCTIONS_CONV = """
    AveragePooling Col2im Conv2DGradW Conv2d Deconv2d Im2col Pooling Pooling2DGrad
    Pooling2DWithIndexes average_pooling col2im col2im_array conv2d conv2d_simple
    deconv2d get_conv_outsize get_deconv_outsize im2col im2col_array pair pooling
    pooling_simple
"""


@pytest.mark.parametrize(
    ("module", "names"),
    [(functions, BOOK_FUNCTIONS), (functions_conv, BOOK_FUNCTIONS_CONV)],
)
def test_the_books_reader_finds_every_name(module, names):
    assert [name for name in names.split() if not hasattr(module, name)] == []
    classes = [name for name in names.split() if name[0].isupper()]
    assert all(isclass(getattr(module, name)) for name in classes)
    assert not set(classes) & set(module.__all__)


def test_a_name_means_the_same_everywhere():
    assert functions.Variable is core.Variable
    for name in functions_conv.__all__:
        assert getattr(functions_conv, name) is getattr(functions, name)


def test_every_name_is_listed_once_and_there():
    for module in (functions, functions_conv):
        assert len(set(module.__all__)) == len(module.__all__)
        assert all(callable(getattr(module, name)) for name in module.__all__)


def test_a_class_of_the_book_computes():
    x = core.as_variable(3.0)
    assert functions.Exp()(x).item() == functions.exp(x).item()


def test_a_star_brings_what_steps_introduce():
    program = (
        "from dezero_lite.functions import *; from dezero_lite.functions_conv import *;"
        "print('sin' in dir(), 'conv2d' in dir(), 'Sin' in dir(), 'Conv2d' in dir())"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["True", "True", "False", "False"]
