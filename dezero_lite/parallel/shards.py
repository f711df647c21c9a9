"""Splits a batch into parts, one for each worker."""

from __future__ import annotations


def shards(count: int, workers: int) -> list[slice]:
    """Cut `count` examples into consecutive parts, one for each worker. Their lengths
    differ by at most one; if there are fewer examples than workers, the last parts are
    empty.

    Raises
    ------
    ValueError
        If there is no worker, or the number of examples is negative.

    Examples
    --------
    >>> shards(10, 3)
    [slice(0, 4, None), slice(4, 7, None), slice(7, 10, None)]
    """
    if workers < 1 or count < 0:
        raise ValueError(
            f"{count} examples cannot be cut into shards for {workers} workers"
        )
    least, more = divmod(count, workers)
    ends = [(i + 1) * least + min(i + 1, more) for i in range(workers)]
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
