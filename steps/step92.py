"""Step 92: GPT-2 on the framework that you wrote."""

import json
from pathlib import Path

import numpy as np

from dezero_lite.functions import attention, causal_mask, gelu, layer_norm, linear
from dezero_lite.gpt2 import ALPHABET, CHARACTERS, PATTERN
from dezero_lite.tokenizer import Tokenizer

from . import step91
from .library import moved as __getattr__  # noqa: F401
from .step60 import sentences

__all__ = ["gpt2_scores", "make_tiny_gpt2", "tiny_gpt2", "write_tokens"]


def gpt2_scores(w, ids, layers, heads, gelu=gelu):
    """Compute GPT-2's scores from the arrays of its file: tokens of shape (N, T) give
    scores for each next token, of shape (N, T, vocabulary).
    """

    def dense(x, name):
        return linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def norm(x, name):
        return layer_norm(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def look(x, name):
        form = *ids.shape, 3, heads, -1
        qkv = dense(x, f"{name}.c_attn").reshape(form).transpose((2, 0, 3, 1, 4))
        found = attention(qkv[0], qkv[1], qkv[2], mask).transpose((0, 2, 1, 3))
        return dense(found.reshape(x.shape), f"{name}.c_proj")

    mask = causal_mask(ids.shape[1], ids.shape[1])
    x = w["wte.weight"][ids] + w["wpe.weight"][: ids.shape[1]]
    for h in range(layers):
        x = x + look(norm(x, f"h.{h}.ln_1"), f"h.{h}.attn")
        inside = gelu(dense(norm(x, f"h.{h}.ln_2"), f"h.{h}.mlp.c_fc"))
        x = x + dense(inside, f"h.{h}.mlp.c_proj")
    return linear(norm(x, "ln_f"), w["wte.weight"].T)


def tiny_gpt2():
    """Return the folder with a very small GPT-2, in the form that was published."""
    return Path(step91.__file__).parent / "data" / "tiny_gpt2"


def write_tokens(tokenizer, folder):
    """Write a tokenizer with GPT-2's alphabet into two files, in GPT-2's format."""
    names, lines = list(CHARACTERS), ["#version: 0.2"]
    for a, b in tokenizer.merges:
        lines.append(f"{names[a]} {names[b]}")
        names.append(names[a] + names[b])
    numbers = {name: i for i, name in enumerate([*names, "<|endoftext|>"])}
    (folder / "vocab.bpe").write_text("\n".join([*lines, ""]), "utf-8")
    (folder / "encoder.json").write_text(json.dumps(numbers), "utf-8")


def make_tiny_gpt2():
    """Let PyTorch train the very small GPT-2 on the sentences of step 60, save it, and
    compute with it. This needs the extra `interop`:
    `python -c "from steps.step92 import make_tiny_gpt2; make_tiny_gpt2()"`.
    """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    folder, text = tiny_gpt2(), sentences(3000)
    folder.mkdir(exist_ok=True)
    learned = Tokenizer.learn(text, 300, PATTERN)
    place = {byte: ALPHABET.index(byte) for byte in range(256)}
    merges = [[place.get(i, i) for i in pair] for pair in learned.merges]
    write_tokens(Tokenizer(merges, alphabet=ALPHABET), folder)
    tokens = torch.tensor(Tokenizer.from_gpt2(folder).encode(text))

    torch.manual_seed(0)
    sizes = {"vocab_size": 301, "n_positions": 32, "n_layer": 2, "n_embd": 20}
    ends = {"bos_token_id": 300, "eos_token_id": 300}
    drops = {name: 0.0 for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")}
    config = GPT2Config(**sizes, n_head=2, initializer_range=0.1, **ends, **drops)
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(800):
        begins = torch.randint(len(tokens) - 32, (32, 1))
        rows = tokens[begins + torch.arange(32)]
        optimizer.zero_grad()
        loss = model(rows, labels=rows).loss
        loss.backward()
        optimizer.step()
    model.eval().transformer.save_pretrained(folder)

    ids = torch.randint(300, (2, 12))
    starts = tokens[: 8 * 6].reshape(6, 8)[:, :5]
    with torch.no_grad():
        scores = model(ids).logits
        written = model.generate(starts, max_new_tokens=24, do_sample=False)
    arrays = {"ids": ids, "scores": scores, "starts": starts, "written": written}
    np.savez_compressed(
        folder / "pytorch.npz", **{name: a.numpy() for name, a in arrays.items()}
    )
