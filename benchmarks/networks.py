"""The same networks, layers and loaders in two dialects. Each method prepares some work
and returns it as a function.

All of them compute in float32 on the same random data, from ``image(*shape)`` and
``labels(n)``.
"""

from itertools import pairwise

import numpy as np

CLASSES = 10


def image(*shape):
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def labels(n):
    return np.random.default_rng(1).integers(0, CLASSES, n)


class Networks:
    """Code that is the same in both dialects."""

    def wait(self):
        """Wait until the work that was started is done; a GPU's work may go on."""

    def conv2d(self, x_shape, w_shape, stride, pad):
        b = np.zeros(w_shape[0], np.float32)
        return self.forward_and_backward(
            lambda x, W, b: self.F.conv2d(x, W, b, stride, pad),
            image(*x_shape),
            image(*w_shape),
            b,
        )


class LikeDezero(Networks):
    """The book's framework, and ours."""

    def __init__(self, module, held_in_float32):
        self.module, self.held_in_float32 = module, held_in_float32
        self.F, self.L = module.functions, module.layers

    def place(self, it):
        """Return an array or a network in the memory where the work is done."""
        return it

    def hold(self, net):
        if self.held_in_float32:
            for p in net.params():
                p.data = p.data.astype(np.float32)

    def training_step(self, net, optimizer, x, t):
        net, x, t = map(self.place, (net, x, t))
        net(x)  # creates the weights
        self.hold(net)
        optimizer.setup(net)

        def step():
            loss = self.F.softmax_cross_entropy(net(x), t)
            net.cleargrads()
            loss.backward()
            optimizer.update()

        return step

    def mlp(self, *sizes):
        return self.module.models.MLP(sizes, activation=self.F.relu)

    def mlp_step(self, optimizer):
        optimizer = getattr(self.module.optimizers, optimizer)
        return self.training_step(
            self.mlp(1000, CLASSES), optimizer(), image(100, 784), labels(100)
        )

    def deep_mlp_step(self):
        """Prepare a step of an MLP with six layers of 1,000, to measure its memory."""
        net = self.mlp(*[1000] * 5, CLASSES)
        return self.training_step(
            net, self.module.optimizers.SGD(), image(1000, 1000), labels(1000)
        )

    def loader(self, examples):
        class Data(self.module.datasets.Dataset):
            def prepare(self):
                self.data, self.label = image(examples, 784), labels(examples)

        loader = self.module.DataLoader(Data(), batch_size=100)

        def epoch():
            for _ in loader:
                pass

        epoch.loader = loader
        return epoch

    def epoch(self, examples):
        loader = self.loader(examples).loader
        net = self.place(self.mlp(1000, CLASSES))
        optimizer = self.module.optimizers.SGD().setup(net)
        net(self.place(image(1, 784)))
        self.hold(net)

        def epoch():
            for x, t in loader:
                loss = self.F.softmax_cross_entropy(net(x), t)
                net.cleargrads()
                loss.backward()
                optimizer.update()

        return epoch

    def forward_and_backward(self, f, *arrays):
        xs = [self.module.Variable(self.place(array)) for array in arrays]

        def work():
            for x in xs:
                x.cleargrad()
            y = f(*xs)
            y.grad = self.module.Variable(np.ones_like(y.data))
            y.backward()

        return work

    def pooling(self, kind, kernel_size, stride):
        pool = {"max": self.F.pooling, "average": self.F.average_pooling}[kind]
        return self.forward_and_backward(
            lambda x: pool(x, kernel_size, stride), image(8, 64, 56, 56)
        )

    def sum_of_product(self, n):
        F = self.F
        return self.forward_and_backward(
            lambda x, W: F.sum(F.matmul(x, W)), image(n, n), image(n, n)
        )

    def lenet_step(self):
        F, L = self.F, self.L

        class LeNet(self.module.Model):
            def __init__(self):
                super().__init__()
                self.conv1, self.conv2 = L.Conv2d(6, 5, pad=2), L.Conv2d(16, 5)
                self.fc1, self.fc2, self.fc3 = (
                    L.Linear(120),
                    L.Linear(84),
                    L.Linear(CLASSES),
                )

            def forward(self, x):
                x = F.pooling(F.relu(self.conv1(x)), 2, 2)
                x = F.pooling(F.relu(self.conv2(x)), 2, 2)
                x = F.relu(self.fc1(F.reshape(x, (x.shape[0], -1))))
                return self.fc3(F.relu(self.fc2(x)))

        return self.training_step(
            LeNet(), self.module.optimizers.SGD(), image(64, 1, 28, 28), labels(64)
        )

    def vgg16(self):
        net = self.place(self.module.models.VGG16())
        x = self.place(image(1, 3, 224, 224))

        def forward():
            with self.module.no_grad(), self.module.test_mode():
                return net(x)

        forward()
        self.hold(net)
        return forward

    def lstm(self):
        F, L, module = self.F, self.L, self.module

        class Net(module.Model):
            def __init__(self):
                super().__init__()
                self.rnn, self.fc = L.LSTM(100), L.Linear(1)

            def forward(self, x):
                return self.fc(self.rnn(x))

        net, xs = self.place(Net()), self.place(image(31, 30, 1))
        net(xs[0])
        self.hold(net)

        def thirty_steps():
            net.rnn.reset_state()
            loss = 0
            for x, t in pairwise(xs):
                loss = loss + F.mean_squared_error(net(x), t)
            net.cleargrads()
            loss.backward()

        return thirty_steps


class OnCupy(LikeDezero):
    """Ours, with arrays in a GPU's memory."""

    def __init__(self, module):
        super().__init__(module, held_in_float32=False)

    def place(self, it):
        if isinstance(it, np.ndarray):
            return self.module.cuda.as_cupy(it)
        it.to_gpu()
        return it

    def wait(self):
        self.module.cuda.cupy.cuda.Device().synchronize()

    def loader(self, examples):
        epoch = super().loader(examples)
        epoch.loader.to_gpu()
        return epoch


class Torch(Networks):
    """PyTorch."""

    def __init__(self, torch, device="cpu"):
        self.torch, self.nn, self.F = torch, torch.nn, torch.nn.functional
        self.device = device

    def wait(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()

    def tensors(self, *arrays):
        return [self.torch.from_numpy(array).to(self.device) for array in arrays]

    def training_step(self, net, optimizer, x, t):
        x, t = self.tensors(x, t)

        def step():
            loss = self.F.cross_entropy(net(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        return step

    def mlp(self, *sizes):
        layers = []
        for n_in, n_out in pairwise(sizes):
            layers += [self.nn.Linear(n_in, n_out), self.nn.ReLU()]
        return self.nn.Sequential(*layers[:-1]).to(self.device)

    def sgd(self, net):
        return self.torch.optim.SGD(net.parameters(), lr=0.01)

    def mlp_step(self, optimizer):
        net = self.mlp(784, 1000, CLASSES)
        optimizer = (
            self.sgd(net)
            if optimizer == "SGD"
            else self.torch.optim.Adam(net.parameters())
        )
        return self.training_step(net, optimizer, image(100, 784), labels(100))

    def deep_mlp_step(self):
        net = self.mlp(*[1000] * 6, CLASSES)
        return self.training_step(net, self.sgd(net), image(1000, 1000), labels(1000))

    def loader(self, examples):
        arrays = image(examples, 784), labels(examples)
        data = self.torch.utils.data.TensorDataset(*map(self.torch.from_numpy, arrays))
        loader = self.torch.utils.data.DataLoader(data, batch_size=100, shuffle=True)

        def epoch():
            for _ in self.batches(loader):
                pass

        epoch.loader = loader
        return epoch

    def batches(self, loader):
        for x, t in loader:
            yield x.to(self.device), t.to(self.device)

    def epoch(self, examples):
        loader = self.loader(examples).loader
        net = self.mlp(784, 1000, CLASSES)
        optimizer = self.sgd(net)

        def epoch():
            for x, t in self.batches(loader):
                loss = self.F.cross_entropy(net(x), t)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        return epoch

    def forward_and_backward(self, f, *arrays):
        xs = [x.requires_grad_() for x in self.tensors(*arrays)]

        def work():
            for x in xs:
                x.grad = None
            y = f(*xs)
            y.backward(self.torch.ones_like(y))

        return work

    def pooling(self, kind, kernel_size, stride):
        pool = {"max": self.F.max_pool2d, "average": self.F.avg_pool2d}[kind]
        return self.forward_and_backward(
            lambda x: pool(x, kernel_size, stride), image(8, 64, 56, 56)
        )

    def sum_of_product(self, n):
        return self.forward_and_backward(
            lambda x, W: (x @ W).sum(), image(n, n), image(n, n)
        )

    def lenet_step(self):
        nn = self.nn
        net = nn.Sequential(
            *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
            *(
                nn.Linear(400, 120),
                nn.ReLU(),
                nn.Linear(120, 84),
                nn.ReLU(),
                nn.Linear(84, CLASSES),
            ),
        )
        net.to(self.device)
        return self.training_step(net, self.sgd(net), image(64, 1, 28, 28), labels(64))

    def vgg16(self):
        nn, layers, channels = self.nn, [], 3
        for width, depth in [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]:
            for _ in range(depth):
                layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
                channels = width
            layers.append(nn.MaxPool2d(2))
        layers += [
            nn.Flatten(),
            nn.Linear(25088, 4096),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(4096, 4096),
            nn.ReLU(),
        ]
        net = nn.Sequential(*layers, nn.Dropout(), nn.Linear(4096, 1000)).eval()
        net.to(self.device)
        (x,) = self.tensors(image(1, 3, 224, 224))

        def forward():
            with self.torch.no_grad():
                return net(x)

        return forward

    def lstm(self):
        cell = self.nn.LSTMCell(1, 100).to(self.device)
        fc = self.nn.Linear(100, 1).to(self.device)
        parameters = [*cell.parameters(), *fc.parameters()]
        (xs,) = self.tensors(image(31, 30, 1))

        def thirty_steps():
            state, loss = None, 0
            for x, t in pairwise(xs):
                state = cell(x, state)
                loss = loss + self.F.mse_loss(fc(state[0]), t)
            for p in parameters:
                p.grad = None
            loss.backward()

        return thirty_steps
