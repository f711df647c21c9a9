"""Stage 4, from step 47 on: classes, batches, loaders and MNIST."""

import math

import numpy as np

from tests.support.arrays import assert_close
from tests.support.book_numbers import NUMBERS
from tests.support.needs import needs


def test_softmax_and_cross_entropy():
    import dezero.functions as F
    from dezero import Variable, as_variable
    from dezero.models import MLP

    def softmax1d(x):
        x = as_variable(x)
        y = F.exp(x)
        sum_y = F.sum(y)
        return y / sum_y

    p = softmax1d(np.array([0.2, -0.4, 1.0]))
    assert np.isclose(p.data.sum(), 1.0)

    model = MLP((10, 3))
    x = np.array([[0.2, -0.4], [0.3, 0.5], [1.3, -3.2], [2.1, 0.3]])
    t = np.array([2, 0, 1, 0])
    y = model(x)
    p = F.softmax_simple(y)
    assert_close(p.data.sum(axis=1), 1)
    assert_close(p.data, F.softmax(y).data)

    loss = F.softmax_cross_entropy_simple(y, t)
    loss.backward()
    simple = {id(param): param.grad.data for param in model.params()}
    model.cleargrads()
    loss2 = F.softmax_cross_entropy(model(x), t)
    loss2.backward()
    assert np.isclose(loss.data, loss2.data)
    for param in model.params():
        assert_close(param.grad.data, simple[id(param)], atol=1e-6)

    scores = Variable(np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]]))
    loss = F.softmax_cross_entropy(scores, np.array([0, 2]))
    loss.backward()
    e = np.exp(scores.data)
    p = e / e.sum(axis=1, keepdims=True)
    assert np.isclose(loss.data, -(np.log(p[0, 0]) + np.log(p[1, 2])) / 2)
    assert_close(scores.grad.data, (p - np.eye(3)[[0, 2]]) / 2)
    assert float(F.accuracy(scores, np.array([0, 2])).data) == 0.5


def test_the_spiral_by_batches_made_by_hand():
    import dezero
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    max_epoch = 150
    batch_size = 30
    hidden_size = 10
    lr = 1.0

    x, t = dezero.datasets.get_spiral(train=True)
    assert (x.shape, t.shape) == ((300, 2), (300,))
    # The points are the book's.
    assert_close(x[0], NUMBERS["first point of the spiral"], atol=1e-6)
    model = MLP((hidden_size, 3))
    optimizer = optimizers.SGD(lr).setup(model)

    data_size = len(x)
    max_iter = math.ceil(data_size / batch_size)
    avg_losses = []
    for _epoch in range(max_epoch):
        index = np.random.permutation(data_size)
        sum_loss = 0

        for i in range(max_iter):
            batch_index = index[i * batch_size : (i + 1) * batch_size]
            batch_x = x[batch_index]
            batch_t = t[batch_index]

            y = model(batch_x)
            loss = F.softmax_cross_entropy(y, batch_t)
            model.cleargrads()
            loss.backward()
            optimizer.update()

            sum_loss += float(loss.data) * len(batch_t)
        avg_losses.append(sum_loss / data_size)
    assert avg_losses[-1] < 0.35 < 0.8 < avg_losses[0]

    # The plane, coloured by class.
    h = 0.1
    x_min, x_max = x[:, 0].min() - 0.1, x[:, 0].max() + 0.1
    y_min, y_max = x[:, 1].min() - 0.1, x[:, 1].max() + 0.1
    xx, yy = np.meshgrid(np.arange(x_min, x_max, h), np.arange(y_min, y_max, h))
    X = np.c_[xx.ravel(), yy.ravel()]
    with dezero.no_grad():
        score = model(X)
    predict_cls = np.argmax(score.data, axis=1)
    Z = predict_cls.reshape(xx.shape)
    assert set(np.unique(Z)) == {0, 1, 2}


def test_the_spiral_as_a_dataset_with_examples_put_together_by_hand():
    import dezero
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    train_set = dezero.datasets.Spiral()
    x, t = train_set[0]
    assert (x.shape, len(train_set)) == ((2,), 300)
    assert int(t) in (0, 1, 2)
    model = MLP((10, 10, 3), activation=F.relu)
    optimizer = optimizers.Adam(alpha=0.02)
    optimizer.setup(model)

    for _epoch in range(20):
        index = np.random.permutation(len(train_set))
        for i in range(10):
            batch_index = index[i * 30 : (i + 1) * 30]
            batch = [train_set[i] for i in batch_index]
            batch_x = np.array([example[0] for example in batch])
            batch_t = np.array([example[1] for example in batch])
            y = model(batch_x)
            loss = F.softmax_cross_entropy(y, batch_t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
    acc = F.accuracy(model(train_set.data), train_set.label)
    assert float(acc.data) > 0.75


def test_the_spiral_by_a_loader_with_a_test_after_each_epoch():
    import dezero
    import dezero.functions as F
    from dezero import DataLoader, optimizers
    from dezero.models import MLP

    max_epoch = 150
    batch_size = 30
    hidden_size = 10
    lr = 1.0

    train_set = dezero.datasets.Spiral(train=True)
    test_set = dezero.datasets.Spiral(train=False)
    train_loader = DataLoader(train_set, batch_size)
    test_loader = DataLoader(test_set, batch_size, shuffle=False)

    model = MLP((hidden_size, 3))
    optimizer = optimizers.SGD(lr).setup(model)

    for _epoch in range(max_epoch):
        sum_loss, sum_acc = 0, 0
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            acc = F.accuracy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += float(loss.data) * len(t)
            sum_acc += float(acc.data) * len(t)
        train_acc = sum_acc / len(train_set)

        sum_loss, sum_acc = 0, 0
        with dezero.no_grad():
            for x, t in test_loader:
                y = model(x)
                loss = F.softmax_cross_entropy(y, t)
                acc = F.accuracy(y, t)
                sum_loss += float(loss.data) * len(t)
                sum_acc += float(acc.data) * len(t)
        test_acc = sum_acc / len(test_set)
    assert train_acc > 0.8
    assert test_acc > 0.8
    assert train_loader.max_iter == 10


def test_loaders_step_by_step_and_datasets_of_the_readers_own():
    from dezero import DataLoader, Dataset, SeqDataLoader

    class Squares(Dataset):
        def prepare(self):
            self.data = np.arange(10.0)
            self.label = self.data**2

    class BigData(Dataset):  # one that reads each example when it is asked for
        def __getitem__(self, index):
            x = np.full(3, index, dtype=np.float32)
            t = index % 2
            return x, t

        def __len__(self):
            return 7

    squares = Squares(target_transform=lambda t: t + 1)
    assert squares[3] == (3.0, 10.0)
    assert [x for x, t in squares][-1] == 9.0
    seen = sorted(t for _, ts in DataLoader(squares, 4) for t in ts.tolist())
    assert seen == [x**2 + 1 for x in range(10)]

    loader = DataLoader(BigData(), batch_size=3, shuffle=False)
    sizes = [(x.shape, x.dtype, t.tolist()) for x, t in loader]
    assert sizes == [
        ((3, 3), np.float32, [0, 1, 0]),
        ((3, 3), np.float32, [1, 0, 1]),
        ((1, 3), np.float32, [0]),
    ]
    x, _ = loader.next()
    assert x[:, 0].tolist() == [0, 1, 2]
    x, _ = next(loader)
    assert x[:, 0].tolist() == [3, 4, 5]
    loader.reset()
    assert next(loader)[0][0, 0] == 0

    pairs = [
        (x.tolist(), t.tolist()) for x, t in SeqDataLoader(Squares(), batch_size=2)
    ]
    assert pairs[:2] == [([0, 5], [0, 25]), ([1, 6], [1, 36])]


def test_an_iterator_of_the_readers_own():
    from dezero.datasets import Spiral

    class MyIterator:
        def __init__(self, dataset, batch_size):
            self.dataset, self.batch_size, self.i = dataset, batch_size, 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= len(self.dataset):
                self.i = 0
                raise StopIteration
            batch = [
                self.dataset[i]
                for i in range(self.i, min(self.i + self.batch_size, len(self.dataset)))
            ]
            self.i += self.batch_size
            return np.array([x for x, _ in batch]), np.array([t for _, t in batch])

    sizes = [len(t) for _, t in MyIterator(Spiral(), 128)]
    assert sizes == [128, 128, 44]


def test_mnist_is_learned_by_an_mlp(mnist):
    import dezero
    import dezero.functions as F
    from dezero import DataLoader, optimizers
    from dezero.models import MLP

    max_epoch = 5
    batch_size = 100
    hidden_size = 100

    train_set = dezero.datasets.MNIST(train=True)
    test_set = dezero.datasets.MNIST(train=False)
    assert (len(train_set), len(test_set)) == (400, 100)
    x, t = train_set[0]
    assert (x.shape, x.dtype) == ((784,), np.float32)
    assert 0 <= x.min() < x.max() <= 1
    assert train_set.labels()[7] == "7"

    train_loader = DataLoader(train_set, batch_size)
    test_loader = DataLoader(test_set, batch_size, shuffle=False)
    model = MLP((hidden_size, hidden_size, 10), activation=F.relu)
    optimizer = optimizers.Adam().setup(model)

    # On a GPU where there is one.
    if dezero.cuda.gpu_enable:
        train_loader.to_gpu()
        test_loader.to_gpu()
        model.to_gpu()

    losses = []
    for _epoch in range(max_epoch):
        sum_loss = 0
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += float(loss.data) * len(t)
        losses.append(sum_loss / len(train_set))

    sum_acc = 0
    with dezero.no_grad():
        for x, t in test_loader:
            y = model(x)
            acc = F.accuracy(y, t)
            sum_acc += float(acc.data) * len(t)
    assert sum_acc / len(test_set) > 0.9
    assert losses[-1] < losses[0]


def test_mnist_with_a_transform_of_the_readers_own(mnist):
    import dezero
    from dezero import DataLoader

    def f(x):
        x = x.flatten()
        x = x.astype(np.float32)
        x /= 255.0
        return x

    plain = dezero.datasets.MNIST(train=True, transform=None)
    x, t = plain[0]
    assert (x.shape, x.dtype) == ((1, 28, 28), np.uint8)
    assert x.reshape(28, 28)[2 * int(t) + 4, 10] >= 180
    own = dezero.datasets.MNIST(train=True, transform=f)
    default = dezero.datasets.MNIST(train=True)
    assert_close(own[5][0], default[5][0])
    x, t = next(iter(DataLoader(own, 10, shuffle=False)))
    assert (x.shape, t.shape) == ((10, 784), (10,))


@needs("matplotlib")
def test_images_are_shown(mnist, monkeypatch):
    import dezero
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    dezero.datasets.MNIST(train=False).show()
    assert len(shown) == 1
    assert shown[0].axes[0].images[0].get_array().shape == (280, 280)
    plt.close("all")
