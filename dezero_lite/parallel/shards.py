"""A batch in parts, one for each worker."""

from __future__ import annotations


def shards(count: int, workers: int) -> list[slice]:
    """Cut `count` examples into as many parts as there are workers, one after the
    other. Their lengths differ by one at most; where there are fewer examples than
    workers, the last parts are empty.

    Raises
    ------
    ValueError
        If there is no worker, or a negative number of examples.

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
