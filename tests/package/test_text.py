"""Names, and texts as tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite.datasets import Names
from dezero_lite.tokenizer import Tokenizer
from tests.support.arrays import assert_equal

TEXT = "the cat sat on the mat, the rat sat on the cat. Ünter dem Bäum: 12 + 34 = 46"
TOKENIZER = Tokenizer.learn(TEXT, 266)
# Any Python string, including halves of surrogate pairs.
TEXTS = st.text(st.characters())


# --- names ----------------------------------------------------------------------------


@pytest.mark.parametrize("train", [True, False])
def test_rows_hold_the_names(train):
    names = Names(train)
    assert names.data.shape == names.label.shape == (len(names.names), 12)
    for name, x, t in zip(names.names, names.data, names.label, strict=True):
        length = len(name)
        assert names.decode(x) == name
        assert names.decode(t[: length + 1]) == name
        assert x[0] == t[length] == 0
        assert (x[length + 1 :] == 0).all()
        assert (t[length + 1 :] == -1).all()
        assert_equal(x[1 : length + 1], t[:length])


def test_unknown_letters_are_named():
    with pytest.raises(ValueError, match="'Zoë' contains 'Z', 'ë': write it in lower"):
        Names().encode("Zoë")


# --- tokens ---------------------------------------------------------------------------


@given(TEXTS)
@settings(deadline=None)
def test_every_text_comes_back(text):
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@given(TEXTS, st.integers(256, 300))
@settings(deadline=None)
def test_every_text_can_be_learned_from(text, vocabulary):
    tokenizer = Tokenizer.learn(text, vocabulary)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(tokenizer) <= vocabulary
    assert len(ids) <= len(text.encode("utf-8", "surrogatepass"))


@given(st.lists(st.integers(0, len(TOKENIZER) - 1)))
@settings(deadline=None)
def test_every_row_of_tokens_is_some_text(ids):
    assert isinstance(TOKENIZER.decode(ids), str)


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_tokens_of_a_text_do_not_depend_on_what_was_encoded_before(a, b):
    fresh = Tokenizer(TOKENIZER.merges)
    fresh.encode(a)
    assert fresh.encode(b) == TOKENIZER.encode(b)


def naive(text, merges):
    """Apply all merges one after another to the whole text."""
    tokens = list(text.encode())
    for token, pair in enumerate(merges, 256):
        i = 0
        while i < len(tokens) - 1:
            if (tokens[i], tokens[i + 1]) == pair:
                tokens[i : i + 2] = [token]
            i += 1
    return tokens


@given(st.text("abc", max_size=40))
@settings(deadline=None)
def test_merges_happen_in_the_order_they_were_learned(text):
    tokenizer = Tokenizer.learn("abcabcaabbccabaabac" * 2, 270, pattern="(?s).+")
    assert tokenizer.encode(text) == naive(text, tokenizer.merges)


def test_a_file_keeps_it(tmp_path):
    TOKENIZER.save(tmp_path / "tokens.json")
    stored = Tokenizer.load(tmp_path / "tokens.json")
    assert stored.merges == TOKENIZER.merges
    assert stored.encode(TEXT) == TOKENIZER.encode(TEXT)
    assert repr(stored) == "Tokenizer(266 tokens)"
