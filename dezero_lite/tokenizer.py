"""Texts as numbers: bytes, and merged pairs of tokens. Step 75 explains it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from .atomic import open_atomic
from .gpt2 import ALPHABET, PATTERN, read_tokens

__all__ = ["Tokenizer"]

Pair = tuple[int, int]

# A word with the space before it, a number, punctuation, or spaces.
WORD = r" ?[^\W\d]+| ?\d+| ?[^\w\s]+|\s+"
BYTES = 256
# Token lengths can grow exponentially; this limits the sum of their lengths.
MOST_BYTES = 2**26


class Tokenizer:
    """Byte-pair encoding: every text is a sequence of tokens, each a byte or two tokens
    that are often neighbours.

    Parameters
    ----------
    merges : sequence of (int, int), optional
        Token ``256 + i`` consists of the two tokens ``merges[i]``, both of which
        precede it.
    pattern : str, optional
        A regular expression that splits a text into pieces, so that nothing is merged
        across their edges; ``"."`` without merges yields bytes. Text between matches is
        also a piece. A pattern with Unicode properties, such as ``\\p{L}``, requires
        the package ``regex``.
    alphabet : bytes, optional
        The first 256 tokens: all bytes, in any order.
    specials : sequence of str, optional
        Tokens after all others, which `encode` never produces.

    Raises
    ------
    ValueError
        If a merge refers to a token that does not precede it, or the alphabet lacks a
        byte.

    Notes
    -----
    Sources: P. Gage, "A new algorithm for data compression", 1994; R. Sennrich, B.
    Haddow and A. Birch, "Neural machine translation of rare words with subword units",
    2016; on bytes, as A. Radford et al., 2019.

    Examples
    --------
    >>> tokenizer = Tokenizer.learn("abab abab", vocabulary=258)
    >>> tokenizer.encode("abab ab")
    [257, 32, 256]
    >>> tokenizer.decode([257, 32, 256])
    'abab ab'
    """

    def __init__(
        self,
        merges: Sequence[Pair] = (),
        pattern: str = WORD,
        *,
        alphabet: bytes = bytes(range(BYTES)),
        specials: Sequence[str] = (),
    ) -> None:
        if sorted(alphabet) != list(range(BYTES)):
            raise ValueError("an alphabet must contain each of the 256 bytes once")
        self.merges: list[Pair] = [(int(a), int(b)) for a, b in merges]
        self.pattern = pattern
        self.alphabet, self.specials = alphabet, list(specials)
        self._bytes = [bytes([byte]) for byte in alphabet]
        self._first = bytes(map(alphabet.index, range(BYTES)))
        total = BYTES
        for a, b in self.merges:
            if not 0 <= min(a, b) <= max(a, b) < len(self._bytes):
                raise ValueError(
                    f"token {len(self._bytes)} cannot consist of {a} and {b}: both "
                    "must be earlier tokens"
                )
            total += len(self._bytes[a]) + len(self._bytes[b])
            if total > MOST_BYTES:
                raise ValueError(
                    f"with token {len(self._bytes)}, made of {a} and {b}, the tokens "
                    f"would hold more than {MOST_BYTES // 2**20} MiB of text"
                )
            self._bytes.append(self._bytes[a] + self._bytes[b])
        self._bytes += map(_to_bytes, specials)
        self._tokens = {pair: BYTES + i for i, pair in enumerate(self.merges)}

    @classmethod
    def learn(cls, text: str, vocabulary: int, pattern: str = WORD) -> Tokenizer:
        """Merge the most frequent pair of neighbours in a text, repeatedly, until there
        are `vocabulary` tokens or no pair occurs twice.

        Among equally frequent pairs, the one that occurs first is merged.
        """
        counts = Counter(_cut(text, pattern))
        words = {piece: list(_to_bytes(piece)) for piece in counts}
        merges: list[Pair] = []
        while BYTES + len(merges) < vocabulary:
            pairs: Counter[Pair] = Counter()
            for piece, tokens in words.items():
                count = counts[piece]
                for pair in pairwise(tokens):
                    pairs[pair] += count
            pair = max(pairs, key=pairs.__getitem__, default=(0, 0))
            if pairs[pair] < 2:
                break
            token = BYTES + len(merges)
            merges.append(pair)
            words = {p: _merge(tokens, pair, token) for p, tokens in words.items()}
        return cls(merges, pattern)

    @classmethod
    def from_gpt2(cls, folder: str | os.PathLike[str] | None = None) -> Tokenizer:
        """Load the published tokenizer of GPT-2. Requires the package ``regex``.

        Parameters
        ----------
        folder : str or os.PathLike, optional
            A folder with ``vocab.bpe`` and ``encoder.json``, or the same files named
            ``merges.txt`` and ``vocab.json``. Default: downloaded once.

        Raises
        ------
        FileNotFoundError
            If a file does not exist.
        ValueError
            If a file is damaged, or the files do not match.
        """
        merges, specials = read_tokens(folder)
        return cls(merges, PATTERN, alphabet=ALPHABET, specials=specials)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self._bytes)

    def __repr__(self) -> str:
        return f"Tokenizer({len(self)} tokens)"

    def encode(self, text: str) -> list[int]:
        """Convert a text to tokens: its bytes, merged in the order of the merges."""
        pieces = _cut(text, self.pattern)
        known = {piece: self._encode(piece) for piece in set(pieces)}
        return [i for piece in pieces for i in known[piece]]

    def _encode(self, piece: str) -> list[int]:
        tokens = list(_to_bytes(piece).translate(self._first))
        while True:
            pairs = set(pairwise(tokens)) & self._tokens.keys()
            if not pairs:
                return tokens
            pair = min(pairs, key=self._tokens.__getitem__)
            tokens = _merge(tokens, pair, self._tokens[pair])

    def decode(self, ids: Iterable[int]) -> str:
        """Convert tokens to text. Bytes that are not valid text become �.

        Raises
        ------
        IndexError
            If a token does not exist; negative numbers do not count from the end.
        """
        content = b"".join(self._contents(ids))
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return content.decode("utf-8", "replace")

    def parts(self, ids: Iterable[int]) -> list[str]:
        """Return the text of each token separately, for inspection."""
        return [content.decode("utf-8", "replace") for content in self._contents(ids)]

    def _contents(self, ids: Iterable[int]) -> list[bytes]:
        ids = list(ids)
        for i in ids:
            if not 0 <= i < len(self):
                raise IndexError(
                    f"there is no token {i}: they are 0 to {len(self) - 1}"
                )
        return [self._bytes[i] for i in ids]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to a JSON file, completely or not at all."""
        content = {
            "pattern": self.pattern,
            "merges": self.merges,
            "alphabet": list(self.alphabet),
            "specials": self.specials,
        }
        with open_atomic(path) as file:
            file.write(json.dumps(content).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Read what :meth:`save` has written.

        Raises
        ------
        ValueError
            If the file is damaged, or its merges are not valid.
        """
        with open(path, encoding="utf-8") as file:
            try:
                stored = json.load(file)
                return cls(
                    stored["merges"],
                    stored["pattern"],
                    # Files of earlier versions lack both.
                    alphabet=bytes(stored.get("alphabet", range(BYTES))),
                    specials=stored.get("specials", ()),
                )
            except (KeyError, TypeError, ValueError) as error:
                why = f"{type(error).__name__}: {error}"
                raise ValueError(f"{path} holds no tokenizer ({why})") from None


@lru_cache
def _compile(pattern: str) -> Any:
    if r"\p" not in pattern:
        return re.compile(pattern)
    try:
        return import_module("regex").compile(pattern)
    except ImportError:
        raise ImportError(
            f"the pattern {pattern} uses Unicode properties, which require a package "
            "that is missing: run `pip install regex`"
        ) from None


def _cut(text: str, pattern: str) -> list[str]:
    # The matches of the pattern, and the text between them.
    edges = [0]
    for match in _compile(pattern).finditer(text):
        edges += match.span()
    edges.append(len(text))
    pieces = [text[a:b] for a, b in pairwise(edges)]
    return [piece for piece in pieces if piece]


def _to_bytes(piece: str) -> bytes:
    # Half of a surrogate pair is not valid text, but may occur in a string.
    return piece.encode("utf-8", "surrogatepass")


def _merge(tokens: list[int], pair: Pair, token: int) -> list[int]:
    if pair[0] not in tokens:
        return tokens
    # From left to right: aaa contains aa once.
    merged: list[int] = []
    for i in tokens:
        if merged and (merged[-1], i) == pair:
            merged[-1] = token
        else:
            merged.append(i)
    return merged
