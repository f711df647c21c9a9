"""The model of step 92 in steps/data is as the lesson describes it."""

import numpy as np
import pytest

from steps.step60 import sentences
from steps.step92 import tiny_gpt2, write_tokens
from tests.support.needs import needs

FOLDER = tiny_gpt2()
STORED = dict(np.load(FOLDER / "pytorch.npz"))


def test_it_is_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 110_000


def test_its_tokens_are_those_of_the_sentences(tmp_path):
    pytest.importorskip("regex", reason="regex is not installed")
    from dezero_lite.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_gpt2(FOLDER)
    assert len(tokenizer.encode(sentences(100))) == 700
    write_tokens(tokenizer, tmp_path)
    for name in ("vocab.bpe", "encoder.json"):
        found, stored = tmp_path / name, FOLDER / name
        assert found.read_text("utf-8") == stored.read_text("utf-8")


@needs("torch", "transformers")
def test_what_is_stored_is_what_pytorch_computes():
    import torch
    from transformers import GPT2LMHeadModel

    theirs = GPT2LMHeadModel.from_pretrained(FOLDER).eval()
    with torch.no_grad():
        scores = theirs(torch.from_numpy(STORED["ids"])).logits.numpy()
        starts = torch.from_numpy(STORED["starts"])
        written = theirs.generate(starts, max_new_tokens=24, do_sample=False)
    np.testing.assert_allclose(STORED["scores"], scores, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(STORED["written"], written.numpy())
