"""How much the tests see: small faults are planted, one at a time, and the tests that
run the changed line have to notice. ``python -m tests.mutation --help`` tells more.
"""
