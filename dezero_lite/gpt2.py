"""The published files of GPT-2: sizes, weights and tokens. Step 92 explains them.

Nothing is computed here: :meth:`GPT.from_gpt2` and :meth:`Tokenizer.from_gpt2` read the
contents of the files, under the names of this package.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

from .array_files import Array, StrPath, load_arrays
from .downloads import get_file

__all__ = ["read_config", "read_tokens", "read_weights"]

URL = "https://huggingface.co/openai-community/gpt2/resolve/{}/{}"
REVISION = "607a30d783dfa663caf39e06633721c8d4cfcd7e"
# For downloads. Two files had other names where the model was first published.
HASHES = {
    "config.json": "0daed7749b4f02b8f76240d5444551d7b08712dab4d0adb8239c56ba823bb7b4",
    "model.safetensors": "248dfc3911869ec493c76e65bf2fcf7f6"
    "15828b0254c12b473182f0f81d3a707",
    "vocab.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "merges.txt": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
}
ALSO_CALLED = {"vocab.json": ["encoder.json"], "merges.txt": ["vocab.bpe"]}
# How GPT-2 splits a text before merging: suffixes, words, numbers, punctuation, spaces.
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def find(folder: StrPath | None, name: str) -> str:
    """Return the path of a file in `folder`, or of its download."""
    if folder is None:
        return get_file(URL.format(REVISION, name), f"gpt2/{name}", HASHES[name])
    names = [name, *ALSO_CALLED.get(name, [])]
    for path in [os.path.join(os.fsdecode(folder), name) for name in names]:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(
        f"{os.fsdecode(folder)} lacks {' or '.join(names)}: a folder with GPT-2 has "
        "config.json, model.safetensors, and for the tokens vocab.bpe and encoder.json"
    )


def read_json(path: str) -> dict[str, Any]:
    """Read a JSON file that holds an object."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if not isinstance(found, dict):
            raise ValueError("it is not an object")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a valid JSON file: {error}") from None
    return found


# --- sizes and weights ----------------------------------------------------------------

SIZES = {
    "vocab_size": "vocabulary",
    "n_positions": "context",
    "n_layer": "layers",
    "n_embd": "size",
    "n_head": "heads",
}
# Settings for which `GPT` supports only these values, those of GPT-2.
FIXED = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "n_inner": (None,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "tie_word_embeddings": (True,),
}


def read_config(folder: StrPath | None) -> dict[str, Any]:
    """Read the sizes of the model, as arguments of `GPT`.

    Raises
    ------
    FileNotFoundError
        If ``config.json`` is not in the folder.
    ValueError
        If a size is missing, or the model computes something that `GPT` cannot.
    """
    path = find(folder, "config.json")
    config = read_json(path)
    for name, ways in FIXED.items():
        if config.get(name, ways[0]) not in ways:
            raise ValueError(
                f"{path} says {name}={config[name]!r}, which this GPT does not "
                f"support: it takes {' or '.join(map(repr, ways))}"
            )
    sizes = {ours: config.get(theirs) for theirs, ours in SIZES.items()}
    if not all(type(size) is int and 0 < size < 2**31 for size in sizes.values()):
        found = {theirs: config.get(theirs) for theirs in SIZES}
        raise ValueError(f"{path} must give five sizes, but gives {found}")
    return sizes


PARTS = {
    "wte.weight": "tokens/W",
    "wpe.weight": "positions/W",
    "ln_f": "norm",
    "ln_1": "norm1",
    "attn.c_attn": "attention/qkv",
    "attn.c_proj": "attention/out",
    "ln_2": "norm2",
    "mlp.c_fc": "up",
    "mlp.c_proj": "down",
}
NAME = re.compile(r"(?:transformer\.)?(?:h\.(\d+)\.)?(.+?)(?:\.(weight|bias))?")
# Masks, which were once stored, and a second copy of the tokens' vectors.
IGNORED = re.compile(r".*\.attn\.(masked_)?bias|lm_head\.weight")


def read_weights(folder: StrPath | None) -> dict[str, Array]:
    """Read the weights, under their names in a `GPT`. GPT-2 stores matrices as (in,
    out), like this package, so they need no transposing.

    Raises
    ------
    FileNotFoundError, ImportError, ValueError
        As for :func:`dezero_lite.array_files.load_arrays`.
    """
    found = load_arrays(find(folder, "model.safetensors"))
    return {
        _our_name(name): a for name, a in found.items() if not IGNORED.fullmatch(name)
    }


def _our_name(name: str) -> str:
    # An unknown name is kept, and later rejected as surplus.
    if name.removeprefix("transformer.") in PARTS:
        return PARTS[name.removeprefix("transformer.")]
    match = NAME.fullmatch(name)
    block, part, kind = match.groups() if match else (None, None, None)
    if part not in PARTS or kind is None:
        return name
    names = ("gamma", "beta") if part.startswith("ln") else ("W", "b")
    prefix = "" if block is None else f"blocks/{block}/"
    return f"{prefix}{PARTS[part]}/{names[kind == 'bias']}"


# --- tokens ---------------------------------------------------------------------------

# The bytes in the order of their tokens. The files write each as a character: printable
# ones as themselves, the others as characters from number 256 on.
SEEN = [*range(33, 127), *range(161, 173), *range(174, 256)]
UNSEEN = [byte for byte in range(256) if byte not in SEEN]
ALPHABET = bytes(SEEN + UNSEEN)
CHARACTERS = [*map(chr, SEEN), *[chr(256 + i) for i in range(len(UNSEEN))]]


def read_tokens(folder: StrPath | None) -> tuple[list[tuple[int, int]], list[str]]:
    """Read the merges, as pairs of tokens, and the special tokens, which no text
    encodes to.

    Raises
    ------
    FileNotFoundError
        If one of the two files is not in the folder.
    ValueError
        If they are damaged, or do not match.
    """
    path = find(folder, "merges.txt")
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file.read().split("\n") if line]
    if lines and lines[0].startswith("#version"):
        del lines[0]
    number = {text: i for i, text in enumerate(CHARACTERS)}
    merges = []
    for line in lines:
        a, _, b = line.partition(" ")
        if a not in number or b not in number or a + b in number:
            raise ValueError(
                f"{path} holds {line[:60]!r}, which is not a merge of two tokens"
            )
        merges.append((number[a], number[b]))
        number[a + b] = len(number)
    other = find(folder, "vocab.json")
    stored = read_json(other)
    specials = [text for text in stored if text not in number]
    if stored != number | {text: len(number) + i for i, text in enumerate(specials)}:
        raise ValueError(f"{other} numbers the tokens differently from {path}")
    return merges, specials
