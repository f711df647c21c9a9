"""How much the tests see: plant small faults, one at a time, and see whether the tests
that run the changed line notice them. See ``python -m tests.mutation --help``.
"""
