"""Every public name of the package, and the step that introduces it.

Names whose lesson is still to be written stand in TO_COME under the number of their
step. Writing a lesson moves its names into the step's ``__all__``; a name of the
package that is in neither is an error, and the list can only shrink.
"""

from importlib import import_module
from types import ModuleType

# Where a name is the same in two modules, the first one here is meant:
# functions.sum_to, not the helper for arrays.
MODULES = [
    "",
    "functions",
    "layers",
    "models",
    "optimizers",
    "datasets",
    "dataloaders",
    "transforms",
    "cuda",
    "utils",
]

TO_COME = {
    26: "get_dot_graph plot_dot_graph",
    34: "sin cos",
    35: "tanh",
    36: "exp log sqrt abs",
    38: "reshape transpose expand_dims flatten squeeze",
    39: "sum mean average max min reshape_sum_backward max_backward_shape",
    40: "broadcast_to sum_to maximum minimum where clip gradient_check numerical_grad",
    41: "matmul",
    42: "mean_squared_error mean_squared_error_simple",
    43: "linear linear_simple sigmoid sigmoid_simple",
    44: "Parameter Layer Linear manual_seed",
    45: "Model Sequential MLP",
    46: "Optimizer SGD MomentumSGD AdaGrad AdaDelta Adam AdamW WeightDecay ClipGrad "
    "FreezeParam",
    47: "softmax softmax_simple log_softmax logsumexp softmax_cross_entropy "
    "softmax_cross_entropy_simple sigmoid_cross_entropy binary_cross_entropy "
    "get_item concat stack split pad",
    48: "get_spiral",
    49: "Dataset Spiral Compose Convert Resize CenterCrop ToArray ToPIL Normalize "
    "Flatten AsType ToFloat ToInt RandomHorizontalFlip RandomCrop",
    50: "DataLoader accuracy",
    51: "relu leaky_relu gelu Digits MNIST FashionMNIST CIFAR10 CIFAR100 ImageNet "
    "get_file cache_dir show_progress",
    52: "get_array_module as_numpy as_cupy",
    53: "array_equal array_allclose",
    54: "dropout Dropout Config test_mode",
    55: "get_conv_outsize get_deconv_outsize pair",
    57: "im2col col2im im2col_array col2im_array conv2d conv2d_simple deconv2d "
    "pooling pooling_simple average_pooling Conv2d Deconv2d",
    58: "VGG16 ResNet ResNet50 ResNet101 ResNet152 BatchNorm batch_norm batch_nrom "
    "LayerNorm layer_norm",
    59: "RNN SinCurve",
    60: "LSTM GRU SeqDataLoader EmbedID embed_id Shakespear",
}
TO_COME = {step: names.split() for step, names in TO_COME.items()}


def public_names():
    """Every public name with what it stands for, modules left out."""
    found = {}
    for name in MODULES:
        module = import_module(f"dezero_lite.{name}".rstrip("."))
        for public in module.__all__:
            value = getattr(module, public)
            if not isinstance(value, ModuleType):
                found.setdefault(public, value)
    return found
