"""What else the book's core offers, for its reader: no step introduces it."""

__all__ = ["setup_variable"]


def setup_variable() -> None:
    """Do nothing: a Variable has its signs already. Source: book step 23.

    In the book, this attaches ``+``, ``-`` and so on to Variable, and scripts may call
    it.
    """
