"""A small deep-learning framework: the one that the course in ``steps/`` arrives at.

Importing it needs NumPy alone. So far it holds the drawing of graphs (:mod:`dezero_lite.graph`); the public names
arrive with the steps that introduce them, from step 23 on.
"""

__version__ = "0.1.0"
