"""The public names of the book's framework, ``dezero`` 0.0.13, by module.

Left out are the modules that its files import, what begins with an underscore, and
three helpers that its files keep to themselves: ``core.array_types``,
``dataloaders.pil_available``, and ``pair`` in ``transforms``. Two names are younger
than that version: ``functions.average`` and ``functions.mean``.
"""

# Steps introduce these, and the package hands on the same thing by the same name.
INTRODUCED = {
    "": """
        Config DataLoader Dataset Function Layer Model Parameter SeqDataLoader Variable
        as_array as_variable no_grad test_mode using_config
    """,
    "core": """
        Config Function Parameter Variable as_array as_variable no_grad test_mode
        using_config
    """,
    "core_simple": "Config as_array as_variable no_grad using_config",
    "cuda": "Variable as_cupy as_numpy get_array_module",
    "dataloaders": "DataLoader SeqDataLoader",
    "datasets": """
        CIFAR10 CIFAR100 Compose Dataset Flatten ImageNet MNIST Normalize Shakespear
        SinCurve Spiral ToFloat cache_dir get_file get_spiral
    """,
    "functions": """
        Function Variable accuracy as_array as_variable average average_pooling
        batch_nrom binary_cross_entropy broadcast_to clip col2im conv2d conv2d_simple
        cos deconv2d dropout embed_id exp expand_dims flatten get_item im2col leaky_relu
        linear linear_simple log log_softmax matmul max mean mean_squared_error
        mean_squared_error_simple min pooling pooling_simple relu reshape sigmoid
        sigmoid_cross_entropy sigmoid_simple sin softmax softmax_cross_entropy
        softmax_cross_entropy_simple softmax_simple sum sum_to tanh transpose
    """,
    "functions_conv": """
        Function as_variable average_pooling broadcast_to col2im col2im_array conv2d
        conv2d_simple deconv2d get_conv_outsize get_deconv_outsize im2col im2col_array
        linear pair pooling pooling_simple
    """,
    "layers": "BatchNorm Conv2d Deconv2d EmbedID LSTM Layer Linear Parameter RNN pair",
    "models": "Layer MLP Model ResNet ResNet101 ResNet152 ResNet50 Sequential VGG16",
    "optimizers": """
        AdaDelta AdaGrad Adam ClipGrad FreezeParam MomentumSGD Optimizer Parameter SGD
        WeightDecay
    """,
    "transforms": """
        AsType CenterCrop Compose Convert Flatten Normalize RandomHorizontalFlip Resize
        ToArray ToFloat ToInt ToPIL
    """,
    "utils": """
        Variable array_allclose array_equal as_variable cache_dir get_conv_outsize
        get_deconv_outsize get_dot_graph get_file gradient_check max_backward_shape
        numerical_grad pair plot_dot_graph reshape_sum_backward show_progress
    """,
}

# These are there for the book's reader alone.
FOR_ITS_READER = {
    "": "is_simple_core setup_variable",
    "core": "Add Div Mul Neg Pow Sub add div mul neg pow rdiv rsub setup_variable sub",
    "core_simple": """
        Add Div Function Mul Neg Pow Sub Variable add div mul neg pow rdiv rsub
        setup_variable sub
    """,
    "cuda": "gpu_enable",
    "datasets": "load_cache_npz save_cache_npz",
    "functions": """
        BatchNorm BroadcastTo Clip Cos Exp GetItem GetItemGrad LeakyReLU Linear Log
        LogSoftmax MatMul Max MeanSquaredError Min ReLU Reshape Sigmoid Sin Softmax
        SoftmaxCrossEntropy Sum SumTo Tanh Transpose add div mul neg pow rsub sub
    """,
    "functions_conv": """
        AveragePooling Col2im Conv2DGradW Conv2d Deconv2d Im2col Pooling Pooling2DGrad
        Pooling2DWithIndexes
    """,
    "models": "BottleneckA BottleneckB BuildingBlock SqueezeNet",
    "utils": "logsumexp sum_to",
}
