"""Continue a text with GPT-2, and measure its speed.

Its 124 million weights and its tokens are downloaded once, half a gigabyte. Without a
network, --folder names a folder that holds them: config.json, model.safetensors,
vocab.bpe and encoder.json. The packages safetensors and regex are needed:

    pip install "dezero-lite[files]"

    python examples/gpt2.py "The train was late, because"
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from helpers import count, needed, run

import dezero_lite
from dezero_lite.models import GPT, generate
from dezero_lite.tokenizer import Tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    say = parser.add_argument
    say(
        "prompt", nargs="?", default="The train was late, because", help="how it begins"
    )
    say("--folder", help="where the files are (default: they are downloaded)")
    say("--length", type=count, default=40, help="tokens to write (default: 40)")
    say("--temperature", type=float, default=0.8, help="0: always the likeliest token")
    say("--top-k", type=count, default=40, help="how many tokens to choose from")
    say("--seed", type=int, default=0, help="the seed of the random choices")
    say("--no-cache", action="store_true", help="recompute all tokens for each new one")
    args = parser.parse_args()

    dezero_lite.manual_seed(args.seed)
    with needed():
        tokenizer = Tokenizer.from_gpt2(args.folder)
        model = GPT.from_gpt2(args.folder)
    ids = tokenizer.encode(args.prompt) or [len(tokenizer) - 1]
    began = time.perf_counter()
    written = generate(
        model, ids, args.length, args.temperature, args.top_k, cache=not args.no_cache
    )
    seconds = time.perf_counter() - began
    print(tokenizer.decode(np.asarray(written).tolist()))
    print(f"\n{args.length / seconds:.3g} tokens a second")


if __name__ == "__main__":
    run(main)
