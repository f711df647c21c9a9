"""Names, and texts as tokens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite.datasets import Names
from dezero_lite.tokenizer import Tokenizer
from tests.support.arrays import assert_equal

TEXT = "the cat sat on the mat, the rat sat on the cat. Ünter dem Bäum: 12 + 34 = 46"
TOKENIZER = Tokenizer.learn(TEXT, 266)
# Any string of Python's, halves of surrogate pairs included.
TEXTS = st.text(st.characters())


# --- names ----------------------------------------------------------------------------


def test_each_name_is_in_one_part():
    parts = Names(), Names(train=False)
    assert [len(part) for part in parts] == [4647, 516]
    together = parts[0].names + parts[1].names
    assert len(set(together)) == 5163
    assert set("".join(together)) == set(Names.letters[1:])


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


def test_letters_and_numbers():
    assert Names().encode("az").tolist() == [1, 26]
    assert Names().decode([0, 1, 26, 0, 5]) == "az"
    assert Names().decode([]) == ""


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
    """All merges one after the other, over the whole text."""
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


def test_the_most_frequent_pair_is_merged_first():
    tokenizer = Tokenizer.learn("aaaa ab ab b", 257)
    assert tokenizer.merges == [(ord("a"), ord("a"))]
    assert tokenizer.encode("aaa") == [256, 97]
    assert Tokenizer.learn("ab ba", 257).merges == []


def test_nothing_is_merged_beyond_a_word():
    assert all(" " not in part[1:] for part in TOKENIZER.parts(range(256, 266)))
    whole = Tokenizer.learn("of the of the of the", 300, pattern="(?s).+")
    assert "of the " in whole.parts(range(256, len(whole)))


def test_parts_show_each_token():
    ids = TOKENIZER.encode("the cat")
    assert "".join(TOKENIZER.parts(ids)) == "the cat"
    assert len(ids) < 7


def test_learning_stops_when_nothing_occurs_twice():
    assert len(Tokenizer.learn("abc", 1000)) == 256
    assert len(Tokenizer.learn("", 1000)) == 256


def test_a_file_keeps_it(tmp_path):
    TOKENIZER.save(tmp_path / "tokens.json")
    stored = Tokenizer.load(tmp_path / "tokens.json")
    assert stored.merges == TOKENIZER.merges
    assert stored.encode(TEXT) == TOKENIZER.encode(TEXT)
    assert repr(stored) == "Tokenizer(266 tokens)"


@pytest.mark.parametrize("merge", [(256, 97), (97, -1), (97, 999)])
def test_a_merge_of_what_is_not_there_is_refused(merge):
    with pytest.raises(ValueError, match="token 256 cannot be made of"):
        Tokenizer([merge])


def test_an_unknown_token_is_an_error():
    with pytest.raises(IndexError):
        TOKENIZER.decode([10_000])
