"""A small GPT, and how it writes."""

import numpy as np
import pytest

from dezero_lite import Variable, manual_seed
from dezero_lite.functions import softmax, softmax_cross_entropy
from dezero_lite.models import GPT, generate
from dezero_lite.optimizers import Adam
from dezero_lite.schedules import WarmupCosine, WarmupLinear
from tests.support.arrays import assert_close, assert_equal, normal
from tests.support.training import train_step


@pytest.fixture
def model():
    manual_seed(0)
    return GPT(7, context=6, layers=2, size=8, heads=2, dtype=np.float64)


IDS = np.array([[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]])


def test_scores_do_not_depend_on_what_comes_later(model):
    scores = model(IDS).data
    assert scores.shape == (2, 6, 7)
    assert_close(model(IDS[:, :3]).data, scores[:, :3])


def test_a_position_counts(model):
    scores = model(np.array([[1, 1, 1]])).data
    assert not np.allclose(scores[0, 1], scores[0, 2])


def test_every_parameter_receives_a_gradient(model):
    scores = model(IDS).reshape((-1, 7))
    softmax_cross_entropy(scores, IDS.ravel()).backward()
    assert all(p.grad is not None and p.grad.data.any() for p in model.params())
    # The number of parameters, before any call.
    fresh = GPT(7, context=6, layers=2, size=8, heads=2)
    block = 2 * 16 + (8 * 24 + 24) + (8 * 8 + 8) + (8 * 32 + 32) + (32 * 8 + 8)
    expected = 7 * 8 + 6 * 8 + 2 * block + 16 + 8 * 7 + 7
    assert sum(p.size for p in fresh.params()) == expected


@pytest.mark.parametrize("beginning", [IDS[:, :1], IDS[0, :3], [1, 2]])
def test_the_cache_writes_the_same(model, beginning):
    # Nine more do not fit into the context: the model sees the last six.
    with_cache = generate(model, beginning, 9, rng=np.random.default_rng(1))
    without = generate(model, beginning, 9, rng=np.random.default_rng(1), cache=False)
    assert_equal(with_cache, without)
    assert with_cache.dtype == np.int64
    assert with_cache.shape == (*np.shape(beginning)[:-1], np.shape(beginning)[-1] + 9)


class Scores:
    """A model that gives every token the same score."""

    context = 1

    def __init__(self, *scores):
        self.scores = np.array([[scores]])

    def __call__(self, ids):
        return Variable(self.scores + np.zeros((len(ids), 1, 1)))


def test_temperature_and_top_k():
    model = Scores(*np.log([0.5, 0.3, 0.2]))
    squares = np.array([0.25, 0.09, 0.04]) / 0.38
    for settings, expected in [
        ({}, [0.5, 0.3, 0.2]),
        ({"temperature": 0}, [1, 0, 0]),
        ({"top_k": 1}, [1, 0, 0]),
        ({"top_k": 2}, [0.625, 0.375, 0]),
        ({"top_k": 9}, [0.5, 0.3, 0.2]),
        ({"temperature": 0.5}, squares),
    ]:
        rng = np.random.default_rng(0)
        drawn = generate(model, np.zeros((4000, 1), int), 1, rng=rng, **settings)
        shares = np.bincount(drawn[:, 1], minlength=3) / 4000
        assert_close(shares, expected, rtol=0, atol=0.03)


@pytest.mark.parametrize(
    ("k", "scores", "kept"),
    [
        (1, [0, 0, 0], [0]),
        (2, [0, 0, 0], [0, 1]),
        (2, [1, 3, 1, 1], [0, 1]),
        (3, [2, 1, 2, 1, -np.inf], [0, 1, 2]),
        (4, [1, -np.inf, -np.inf, 1], [0, 3]),
    ],
)
def test_of_equal_scores_top_k_keeps_the_first(k, scores, kept):
    rng = np.random.default_rng(0)
    drawn = generate(Scores(*scores), np.zeros((500, 1), int), 1, top_k=k, rng=rng)
    assert np.unique(drawn[:, 1]).tolist() == kept


@pytest.mark.parametrize("temperature", [0, 1])
@pytest.mark.parametrize("scores", [[0, np.nan], [0, np.inf], [-np.inf, -np.inf]])
def test_scores_that_are_not_finite_are_refused(scores, temperature):
    with pytest.raises(ValueError, match="scores for the next token are nan or inf"):
        generate(Scores(*scores), [1], 1, temperature)


def test_tokens_are_those_that_numpy_chooses():
    scores = normal(200, 27)

    class Fixed:
        context = 1

        def __call__(self, ids):
            return Variable(scores[:, None])

    drawn = generate(Fixed(), np.zeros((200, 1), int), 1, rng=np.random.default_rng(0))
    rng = np.random.default_rng(0)
    expected = [rng.choice(27, p=row) for row in softmax(scores).data]
    assert drawn[:, 1].tolist() == expected


def test_it_draws_from_the_framework_s_numbers(model):
    drawn = []
    for _ in range(2):
        manual_seed(3)
        drawn.append(generate(model, [1], 5).tolist())
    assert drawn[0] == drawn[1]


def test_it_learns_to_copy_with_a_schedule():
    manual_seed(0)
    rng = np.random.default_rng(0)
    model = GPT(5, context=6, layers=1, size=16, heads=2)
    optimizer, rate = Adam().setup(model), WarmupCosine(0.01, warmup=10, steps=120)
    for step in range(120):
        x = np.tile(rng.integers(5, size=(32, 3)), 2)
        scores = model(x[:, :-1])[:, 2:]
        loss = softmax_cross_entropy(scores.reshape((-1, 5)), x[:, 3:].ravel())
        optimizer.alpha = rate(step)
        train_step(model, optimizer, loss)
    assert loss.item() < 0.05
    assert loss.dtype == np.float32
    assert generate(model, [4, 0, 2], 3, temperature=0).tolist() == [4, 0, 2, 4, 0, 2]


@pytest.mark.parametrize("kind", [WarmupCosine, WarmupLinear])
def test_a_schedule_rises_falls_and_stays(kind):
    rate = kind(0.5, warmup=4, steps=20, last=0.1)
    rates = [rate(step) for step in range(30)]
    assert np.all(np.diff(rates[:5]) > 0)
    assert rates[4] == max(rates) == 0.5
    assert np.all(np.diff(rates[4:21]) < 0)
    assert_close(rates[20:], 0.1)
    assert_close(np.mean(rates[4:21]), 0.3)
    assert repr(rate) == f"{kind.__name__}(peak=0.5, last=0.1, warmup=4, steps=20)"


def test_it_agrees_with_pytorch(model):
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional

    def tensor(parameter):
        return torch.from_numpy(parameter.data)

    def linear(x, layer):
        return functional.linear(x, tensor(layer.W).T, tensor(layer.b))

    def norm(x, layer):
        return functional.layer_norm(x, (8,), tensor(layer.gamma), tensor(layer.beta))

    ids = torch.from_numpy(IDS)
    x = tensor(model.tokens.W)[ids] + tensor(model.positions.W)
    for block in model.blocks:
        q, k, v = linear(norm(x, block.norm1), block.attention.qkv).chunk(3, dim=2)
        heads = [part.unflatten(2, (2, 4)).transpose(1, 2) for part in (q, k, v)]
        found = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + linear(found.transpose(1, 2).flatten(2), block.attention.out)
        inner = linear(norm(x, block.norm2), block.up)
        x = x + linear(functional.gelu(inner, approximate="tanh"), block.down)
    scores = linear(norm(x, model.norm), model.out)
    assert_close(model(IDS).data, scores.numpy(), rtol=1e-9, atol=1e-9)
