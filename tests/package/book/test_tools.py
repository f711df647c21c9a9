"""The tools beside: utilities, transforms and the names by which parts are imported."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import dezero_lite
from tests.support.arrays import assert_close, assert_equal
from tests.support.needs import needs


def test_utils_compare_and_check():
    import dezero.functions as F
    from dezero import Variable
    from dezero.utils import (
        array_allclose,
        array_equal,
        gradient_check,
        logsumexp,
        max_backward_shape,
        numerical_grad,
        reshape_sum_backward,
        show_progress,
        sum_to,
    )

    rng = np.random.RandomState(0)
    x = rng.rand(4, 3)
    assert array_equal(Variable(x), x.copy())
    assert not array_equal(x, x + 1e-12)
    assert array_allclose(Variable(x), x + 1e-7)
    assert not array_allclose(x, x + 1e-2)
    assert gradient_check(F.sigmoid, x)
    assert gradient_check(
        lambda x: F.softmax_cross_entropy(x, np.array([0, 2, 1, 1])), Variable(x)
    )
    assert gradient_check(F.sum, Variable(x), axis=1)
    assert gradient_check(
        F.conv2d, rng.rand(2, 2, 4, 4), rng.rand(3, 2, 3, 3), None, stride=1, pad=1
    )
    assert array_allclose(numerical_grad(F.tanh, x), 1 - np.tanh(x) ** 2)
    assert sum_to(x, (1, 3)).shape == (1, 3)
    assert_close(logsumexp(x, axis=1), np.log(np.exp(x).sum(axis=1, keepdims=True)))
    assert tuple(max_backward_shape(x, 1)) == (4, 1)
    assert reshape_sum_backward(Variable(np.ones(4)), (4, 3), 1, False).shape == (4, 1)
    show_progress(1, 10, 20)


@needs("PIL")
def test_transforms_one_after_the_other():
    from dezero import Dataset
    from dezero.transforms import (
        AsType,
        CenterCrop,
        Compose,
        Convert,
        Flatten,
        Normalize,
        Resize,
        ToArray,
        ToFloat,
        ToInt,
        ToPIL,
    )
    from PIL import Image

    pixels = np.random.RandomState(0).randint(0, 256, (30, 40, 3)).astype(np.uint8)
    image = Image.fromarray(pixels)
    f = Compose(
        [
            Convert("RGB"),
            CenterCrop(20),
            ToArray(),
            Normalize(mean=(10, 20, 30), std=(2, 2, 2)),
        ]
    )
    x = f(image)
    middle = pixels[5:25, 10:30].transpose(2, 0, 1)
    assert_close(x, (middle - np.array([10, 20, 30]).reshape(3, 1, 1)) / 2)
    assert Resize((8, 6))(image).size == (8, 6)
    assert_equal(np.asarray(Convert("BGR")(image)), pixels[..., ::-1])
    back = ToPIL()(pixels.transpose(2, 0, 1))
    assert_equal(np.asarray(back), pixels)

    x = np.array([[0.0, 51.0], [102.0, 255.0]])
    assert_close(
        Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])(x), [0.0, 0.2, 0.4, 1.0]
    )
    assert ToInt()(x).dtype.kind == "i"
    assert AsType(np.float16)(x).dtype == np.float16
    assert Compose()(x) is x

    class Two(Dataset):
        def prepare(self):
            self.data = x
            self.label = np.array([0, 1])

    two = Two(
        transform=Compose([ToFloat(), Normalize(0.0, 255.0)]),
        target_transform=lambda t: t * 10,
    )
    assert_close(two[1][0], [0.4, 1.0])
    assert two[1][1] == 10


SCRIPT = """
import dezero_lite as dezero
import numpy as np

F = dezero.functions
model = dezero.models.MLP((10, 3))
optimizer = dezero.optimizers.SGD(lr=1.0).setup(model)
loader = dezero.DataLoader(dezero.datasets.Spiral(), batch_size=30)
for epoch in range(3):
    sum_loss = 0
    for x, t in loader:
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        sum_loss += float(loss.data) * len(t)
    print('epoch %d, loss %.2f' % (epoch + 1, sum_loss / 300))
model.save_weights('spiral.npz')
"""


def test_a_script_in_a_process_of_its_own(desk):
    (desk / "spiral.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "spiral.py"],
        # The package need not be installed to be tested.
        env=os.environ | {"PYTHONPATH": str(Path(dezero_lite.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["epoch 1", "epoch 2", "epoch 3"]
    assert all(float(line.split()[-1]) < 1.5 for line in lines)
    assert (desk / "spiral.npz").exists()
    assert done.stderr == ""
