"""Judges a framework that was written elsewhere: ``python -m steps judge PATH``.

============ =========================================================================
adapter      one namespace of the course's names, from whatever the framework has
trial        tries the table of capabilities on it, in a process of its own
report       what came of it, as text, HTML, JSON and a badge
============ =========================================================================
"""
