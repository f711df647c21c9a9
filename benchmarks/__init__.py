"""Side-by-side measurements against other frameworks: ``python -m benchmarks``."""
