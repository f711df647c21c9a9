"""The same small GPT in two frameworks, on one thread each: a training step, and
generation with a cache of keys and values.

Both have two blocks, 48 numbers per position and four heads, as in lesson 74.
"""

import numpy as np

LETTERS, LAYERS, SIZE, HEADS = 27, 2, 48, 4
BATCH, CONTEXT = 64, 17
WRITTEN = 256


def tokens():
    return np.random.default_rng(0).integers(LETTERS, size=(BATCH, CONTEXT + 1))


def one_thread():
    """Limit BLAS to one thread: small products gain nothing from more."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")


class Ours:
    def __init__(self):
        one_thread()

    def step(self):
        from dezero_lite.functions import softmax_cross_entropy
        from dezero_lite.models import GPT
        from dezero_lite.optimizers import Adam

        x, t = tokens()[:, :-1], tokens()[:, 1:].ravel()
        model = GPT(LETTERS, CONTEXT, LAYERS, SIZE, HEADS)
        optimizer = Adam().setup(model)

        def step():
            loss = softmax_cross_entropy(model(x).reshape((-1, LETTERS)), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()

        return step

    def write(self):
        from dezero_lite.models import GPT, generate

        model = GPT(LETTERS, WRITTEN + 1, LAYERS, SIZE, HEADS)
        rng = np.random.default_rng(0)
        return lambda: generate(model, [0], WRITTEN, rng=rng)


class Theirs:
    """PyTorch."""

    def __init__(self, torch):
        self.torch = torch
        torch.set_num_threads(1)

    def step(self):
        torch = self.torch
        x = torch.from_numpy(tokens()[:, :-1].copy())
        t = torch.from_numpy(tokens()[:, 1:].ravel())
        model = gpt(torch, CONTEXT)
        optimizer = torch.optim.Adam(model.parameters())

        def step():
            scores = model(x).reshape(-1, LETTERS)
            loss = torch.nn.functional.cross_entropy(scores, t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        return step

    def write(self):
        torch = self.torch
        model = gpt(torch, WRITTEN + 1).eval()

        def write():
            caches = [[] for _ in range(LAYERS)]
            ids = [0]
            with torch.no_grad():
                for place in range(WRITTEN):
                    scores = model(torch.tensor([[ids[-1]]]), place, caches)[0, -1]
                    ids.append(torch.multinomial(scores.softmax(0), 1).item())

        return write


def gpt(torch, context):
    """Return the model, made of PyTorch's own layers."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(SIZE), nn.LayerNorm(SIZE)
            self.qkv, self.out = nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
            self.up, self.down = nn.Linear(SIZE, 4 * SIZE), nn.Linear(4 * SIZE, SIZE)

        def attend(self, x, cache):
            n, t, _ = x.shape
            parts = self.qkv(x).split(SIZE, dim=2)
            q, k, v = [p.view(n, t, HEADS, -1).transpose(1, 2) for p in parts]
            if cache is not None:
                if cache:
                    k = torch.cat([cache[0], k], dim=2)
                    v = torch.cat([cache[1], v], dim=2)
                cache[:] = k, v
            found = F.scaled_dot_product_attention(q, k, v, is_causal=t > 1)
            return self.out(found.transpose(1, 2).reshape(n, t, SIZE))

        def forward(self, x, cache):
            x = x + self.attend(self.norm1(x), cache)
            inner = F.gelu(self.up(self.norm2(x)), approximate="tanh")
            return x + self.down(inner)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(LETTERS, SIZE)
            self.positions = nn.Embedding(context, SIZE)
            self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
            self.norm, self.out = nn.LayerNorm(SIZE), nn.Linear(SIZE, LETTERS)

        def forward(self, ids, start=0, caches=None):
            places = torch.arange(start, start + ids.shape[1])
            x = self.tokens(ids) + self.positions(places)
            for i, block in enumerate(self.blocks):
                x = block(x, caches[i] if caches else None)
            return self.out(self.norm(x))

    return GPT()
