"""Beyond the book's steps: gradients of gradients, networks that generate, and learning
by reward, as in the series' next volume.
"""

import math

import numpy as np

from tests.support.arrays import assert_equal


def test_a_gradient_penalty():
    import dezero.functions as F
    from dezero import Parameter, Variable

    rng = np.random.RandomState(0)
    x = Variable(rng.randn(6, 3))
    W1 = Parameter(rng.randn(3, 5))
    W2 = Parameter(rng.randn(5, 1))

    def penalty(x, W1, W2):
        y = F.sum(F.matmul(F.tanh(F.matmul(x, W1)), W2))
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad
        norm = F.sum(gx**2, axis=1) ** 0.5
        return F.sum((norm - 1) ** 2) / len(x)

    loss = penalty(x, W1, W2)
    for W in (W1, W2):
        W.cleargrad()
    x.cleargrad()
    loss.backward()

    # Against derivatives by numbers.
    eps = 1e-5
    i = (1, 0)
    for W, found in [(W1, W1.grad.data[i]), (W2, W2.grad.data[i])]:
        kept = W.data[i]
        W.data[i] = kept + eps
        high = float(penalty(x, W1, W2).data)
        W.data[i] = kept - eps
        low = float(penalty(x, W1, W2).data)
        W.data[i] = kept
        assert np.isclose(found, (high - low) / (2 * eps), rtol=1e-5)


def test_a_critic_is_trained_with_a_gradient_penalty():
    import dezero.functions as F
    from dezero import Variable, optimizers
    from dezero.models import MLP

    rng = np.random.RandomState(0)
    critic = MLP((16, 1), activation=F.leaky_relu)
    optimizer = optimizers.Adam(0.01).setup(critic)
    for _ in range(60):
        real = rng.randn(20, 2) + np.array([2.0, 0.0])
        fake = rng.randn(20, 2)
        mix = Variable(real * 0.5 + fake * 0.5)
        F.sum(critic(mix)).backward(create_graph=True)
        gx = mix.grad
        penalty = F.sum((F.sum(gx**2, axis=1) ** 0.5 - 1) ** 2) / len(mix)
        loss = F.sum(critic(fake) - critic(real)) / 20 + 10 * penalty
        critic.cleargrads()
        loss.backward()
        optimizer.update()
    assert critic(real).data.mean() > critic(fake).data.mean() + 0.1
    assert float(penalty.data) < 0.3


def test_a_generative_adversarial_network():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero.models import Sequential
    from dezero.optimizers import Adam

    C, H, W = 8, 4, 4
    G = Sequential(
        L.Linear(C * H * W),
        F.relu,
        L.BatchNorm(),
        lambda x: F.reshape(x, (-1, C, H, W)),
        L.Deconv2d(C // 2, kernel_size=4, stride=2, pad=1),
        L.BatchNorm(),
        F.relu,
        L.Deconv2d(1, kernel_size=3, stride=1, pad=1),
        F.sigmoid,
    )
    D = Sequential(
        L.Conv2d(8, kernel_size=3, stride=2, pad=1),
        F.leaky_relu,
        L.Conv2d(16, kernel_size=3, stride=2, pad=1),
        L.BatchNorm(),
        F.leaky_relu,
        F.flatten,
        L.Linear(1),
    )
    opt_g = Adam(alpha=0.002, beta1=0.5).setup(G)
    opt_d = Adam(alpha=0.002, beta1=0.5).setup(D)

    batch_size, z_size = 16, 5
    label_real = np.ones(batch_size).astype(int)
    label_fake = np.zeros(batch_size).astype(int)
    use_gpu = dezero.cuda.gpu_enable
    xp = dezero.cuda.cupy if use_gpu else np
    if use_gpu:
        G.to_gpu()
        D.to_gpu()
        label_real, label_fake = xp.array(label_real), xp.array(label_fake)

    for _step in range(15):
        x = 0.5 + 0.1 * xp.random.rand(batch_size, 1, 8, 8).astype(np.float32)
        y = D(x)
        loss_d = F.sigmoid_cross_entropy(y, label_real)
        z = xp.random.rand(batch_size, z_size).astype(np.float32)
        fake = G(z)
        y = D(fake.data)
        loss_d += F.sigmoid_cross_entropy(y, label_fake)
        D.cleargrads()
        loss_d.backward()
        opt_d.update()

        y = D(fake)
        loss_g = F.sigmoid_cross_entropy(y, label_real)
        G.cleargrads()
        loss_g.backward()
        opt_g.update()

    with dezero.test_mode():
        z = xp.random.rand(4, z_size).astype(np.float32)
        fake = G(z)
    assert fake.shape == (4, 1, 8, 8)
    assert np.isfinite(float(loss_g.data))
    # Of two kinds of answers half right, a discriminator that guesses has a loss of 2
    # log 2.
    assert 0 < float(loss_d.data) < 2 * math.log(2)


def test_a_variational_autoencoder():
    import dezero.functions as F
    import dezero.layers as L
    from dezero import DataLoader, Dataset, Model, optimizers

    class Encoder(Model):
        def __init__(self, latent_size):
            super().__init__()
            self.latent_size = latent_size
            self.conv1 = L.Conv2d(4, kernel_size=3, stride=2, pad=1)
            self.linear1 = L.Linear(latent_size)
            self.linear2 = L.Linear(latent_size)

        def forward(self, x):
            x = F.relu(self.conv1(x))
            x = F.flatten(x)
            z_mean = self.linear1(x)
            z_log_var = self.linear2(x)
            return z_mean, z_log_var

        def sampling(self, z_mean, z_log_var):
            epsilon = np.random.randn(len(z_mean), self.latent_size)
            return z_mean + F.exp(z_log_var) * epsilon

    class Decoder(Model):
        def __init__(self):
            super().__init__()
            self.linear1 = L.Linear(4 * 4 * 4)
            self.deconv = L.Deconv2d(1, kernel_size=4, stride=2, pad=1)

        def forward(self, x):
            x = F.relu(self.linear1(x))
            x = F.reshape(x, (-1, 4, 4, 4))
            x = self.deconv(x)
            return F.sigmoid(x)

    class VAE(Model):
        def __init__(self, latent_size):
            super().__init__()
            self.encoder = Encoder(latent_size)
            self.decoder = Decoder()

        def forward(self, x, C=1.0, k=1):
            z_mean, z_log_var = self.encoder(x)
            rec_loss = 0
            for _ in range(k):
                z = self.encoder.sampling(z_mean, z_log_var)
                y = self.decoder(z)
                rec_loss += F.binary_cross_entropy(F.flatten(y), F.flatten(x)) / k
            kl_loss = C * (z_mean**2 + F.exp(z_log_var) - z_log_var - 1) * 0.5
            kl_loss = F.sum(kl_loss) / len(x)
            return rec_loss + kl_loss

    class Boxes(Dataset):
        def prepare(self):
            self.data = np.zeros((64, 1, 8, 8), dtype=np.float32)
            for i, image in enumerate(self.data):
                image[0, i % 4 : i % 4 + 4, i // 4 % 4 : i // 4 % 4 + 4] = 1.0

    vae = VAE(2)
    optimizer = optimizers.Adam(0.01).setup(vae)
    losses = []
    for _epoch in range(15):
        avg_loss = 0
        for x, _ in DataLoader(Boxes(), 16):
            loss = vae(x)
            vae.cleargrads()
            loss.backward()
            optimizer.update()
            avg_loss += float(loss.data) / 4
        losses.append(avg_loss)
    assert losses[-1] < 0.75 * losses[0]
    assert len(vae.encoder(x)) == 2
    assert len(list(vae.params())) == 10


def test_a_target_network_is_a_copy():
    import copy

    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, optimizers

    class QNet(Model):
        def __init__(self, action_size):
            super().__init__()
            self.l1 = L.Linear(16)
            self.l2 = L.Linear(action_size)

        def forward(self, x):
            x = F.relu(self.l1(x))
            return self.l2(x)

    rng = np.random.RandomState(0)
    qnet, qnet_target = QNet(2), QNet(2)
    optimizer = optimizers.Adam(0.01)
    optimizer.setup(qnet)
    for i in range(60):
        if i % 20 == 0:
            qnet_target = copy.deepcopy(qnet)
        if i == 40:
            copied = qnet.l1.W.data.copy()
        state, next_state = rng.rand(16, 4), rng.rand(16, 4)
        action, reward, done = rng.randint(0, 2, 16), rng.rand(16), rng.rand(16) < 0.5
        qs = qnet(state)
        q = qs[np.arange(len(action)), action]
        next_qs = qnet_target(next_state)
        next_q = next_qs.max(axis=1)
        next_q.unchain()
        target = reward + (1 - done) * 0.9 * next_q
        loss = F.mean_squared_error(q, target)
        qnet.cleargrads()
        loss.backward()
        optimizer.update()
    assert_equal(qnet_target.l1.W.data, copied)
    assert not np.array_equal(qnet.l1.W.data, copied)
    greedy = qnet(rng.rand(1, 4)).data.argmax()
    assert greedy in (0, 1)


def test_an_actor_and_a_critic():
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    pi, v = MLP((16, 2), activation=F.relu), MLP((16, 1), activation=F.relu)
    optimizer_pi = optimizers.Adam(0.02).setup(pi)
    optimizer_v = optimizers.Adam(0.02).setup(v)
    rng = np.random.RandomState(0)
    for _ in range(150):
        state = rng.rand(3)
        state = state[np.newaxis, :]
        probs = F.softmax(pi(state))
        probs = probs[0]
        action = int(rng.rand() > probs.data[0])
        reward, done = float(action), True  # the second of two is worth something

        target = reward + 0.9 * v(state) * (1 - done)
        target.unchain()
        value = v(state)
        loss_v = F.mean_squared_error(value, target)
        delta = target - value
        delta.unchain()
        loss_pi = -F.log(probs[action]) * delta
        v.cleargrads()
        pi.cleargrads()
        loss_v.backward()
        loss_pi.backward()
        optimizer_v.update()
        optimizer_pi.update()
    assert F.softmax(pi(np.full((1, 3), 0.5))).data[0, 1] > 0.9
