"""Stage 5, steps 59 and 60, and text: networks with a memory."""

import numpy as np

from tests.support import book_numbers
from tests.support.arrays import assert_close, assert_equal
from tests.support.book_numbers import NUMBERS, simple_rnn


def test_a_recurrent_layer_keeps_its_state():
    import dezero.layers as L

    rnn = L.RNN(10)
    x = np.random.rand(1, 1)
    h = rnn(x)
    assert h.shape == (1, 10)
    assert rnn.h is h
    rnn(x)
    names = sorted(p.name for p in rnn.params())
    assert names == ["W", "W", "b"]
    x2h, b, h2h = rnn.x2h.W.data, rnn.x2h.b.data, rnn.h2h.W.data
    assert_close(rnn.h.data, np.tanh(x @ x2h + b + h.data @ h2h), atol=1e-6)
    rnn.reset_state()
    assert rnn.h is None


def test_an_rnn_follows_a_curve():
    import dezero
    import dezero.functions as F

    max_epoch = 3
    hidden_size = 30
    bptt_length = 30

    train_set = dezero.datasets.SinCurve(train=True)
    seqlen = len(train_set)
    assert seqlen == 999
    xs = [example[0] for example in train_set]
    ts = [example[1] for example in train_set]
    assert_equal(xs[1:], ts[:-1])

    model = simple_rnn(hidden_size, 1)
    optimizer = dezero.optimizers.Adam().setup(model)

    avg_losses = []
    for _epoch in range(max_epoch):
        model.reset_state()
        loss, count = 0, 0

        for x, t in train_set:
            x = x.reshape(1, 1)
            t = t.reshape(1, 1)
            y = model(x)
            loss += F.mean_squared_error(y, t)
            count += 1

            if count % bptt_length == 0 or count == seqlen:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
        avg_losses.append(float(loss.data) / count)
    assert avg_losses[-1] < 0.06

    xs = np.cos(np.linspace(0, 4 * np.pi, 300))
    model.reset_state()
    pred_list = []
    with dezero.no_grad():
        for x in xs:
            x = np.array(x).reshape(1, 1)
            y = model(x)
            pred_list.append(y.data.item())
    assert np.abs(np.array(pred_list[:-1]) - xs[1:])[30:].mean() < 0.2


def test_an_rnn_has_the_losses_of_the_books_framework():
    losses = book_numbers.losses_of_an_rnn()
    assert_close(losses, NUMBERS["losses of an RNN"], rtol=1e-9)


def test_an_rnn_is_given_targets_as_the_curve_has_them():
    import dezero
    import dezero.functions as F

    model = simple_rnn(5, 1)
    loss = 0
    for x, t in dezero.datasets.SinCurve(train=True):
        x = x.reshape(1, 1)
        y = model(x)
        # The book leaves t as it is: of shape (1,).
        loss += F.mean_squared_error(y, t)
        break
    loss.backward()
    assert np.isclose(float(loss.data), (y.data.item() - t.item()) ** 2)


def test_an_lstm_follows_many_parts_of_a_curve_at_once():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, SeqDataLoader

    max_epoch = 15
    batch_size = 30
    hidden_size = 40
    bptt_length = 30

    train_set = dezero.datasets.SinCurve(train=True)
    dataloader = SeqDataLoader(train_set, batch_size=batch_size)
    seqlen = len(train_set)

    class BetterRNN(Model):
        def __init__(self, hidden_size, out_size):
            super().__init__()
            self.rnn = L.LSTM(hidden_size)
            self.fc = L.Linear(out_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            y = self.rnn(x)
            y = self.fc(y)
            return y

    model = BetterRNN(hidden_size, 1)
    optimizer = dezero.optimizers.Adam(0.01).setup(model)

    avg_losses = []
    for _epoch in range(max_epoch):
        model.reset_state()
        loss, count = 0, 0

        for x, t in dataloader:
            y = model(x)
            loss += F.mean_squared_error(y, t)
            count += 1
            if count % bptt_length == 0 or count == seqlen:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
        avg_losses.append(float(loss.data) / count)
    assert count == 34
    assert avg_losses[-1] < 0.06 < 0.1 < avg_losses[0]
    assert model.rnn.c.shape == model.rnn.h.shape == (30, 40)

    xs = np.cos(np.linspace(0, 4 * np.pi, 300))
    model.reset_state()
    pred_list = []
    with dezero.no_grad():
        for x in xs:
            x = np.array(x).reshape(1, 1)
            y = model(x)
            pred_list.append(y.data.item())
    assert np.abs(np.array(pred_list[:-1]) - xs[1:])[30:].mean() < 0.2


def test_a_language_model_writes():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Dataset, Model, SeqDataLoader

    class Text(Dataset):
        def prepare(self):
            text = "hello world, " * 40
            self.char_to_id, self.id_to_char = {}, {}
            for c in text:
                if c not in self.char_to_id:
                    new_id = len(self.char_to_id)
                    self.char_to_id[c] = new_id
                    self.id_to_char[new_id] = c
            indices = np.array([self.char_to_id[c] for c in text])
            self.data = indices[:-1]
            self.label = indices[1:]

    class CharModel(Model):
        def __init__(self, vocab_size, hidden_size):
            super().__init__()
            self.embed = L.EmbedID(vocab_size, hidden_size)
            self.rnn = L.LSTM(hidden_size)
            self.fc = L.Linear(vocab_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            return self.fc(self.rnn(self.embed(x)))

    train_set = Text()
    loader = SeqDataLoader(train_set, batch_size=8)
    model = CharModel(len(train_set.char_to_id), 24)
    optimizer = dezero.optimizers.Adam(0.02).setup(model)
    for _epoch in range(5):
        model.reset_state()
        loss, count = 0, 0
        for x, t in loader:
            loss += F.softmax_cross_entropy(model(x), t)
            count += 1
            if count % 13 == 0 or count == loader.max_iter:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
    assert float(loss.data) / count < 0.5

    model.reset_state()
    with dezero.no_grad(), dezero.test_mode():
        c = "w"
        text = c
        for _ in range(12):
            x = np.array([train_set.char_to_id[c]])
            y = model(x)
            p = F.softmax(y).data.ravel()
            c = train_set.id_to_char[int(p.argmax())]
            text += c
    assert text == "world, hello "


def test_the_plays(desk, monkeypatch):
    import dezero

    (desk / "shakespear.txt").write_text("to be or not to be")
    monkeypatch.setenv("DEZERO_LITE_DATA", str(desk))
    plays = dezero.datasets.Shakespear()
    assert len(plays) == 17
    x, t = plays[0]
    assert (plays.id_to_char[int(x)], plays.id_to_char[int(t)]) == ("t", "o")
    assert "".join(plays.id_to_char[int(i)] for i in plays.label) == "o be or not to be"
