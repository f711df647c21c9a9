"""Judges a framework written elsewhere: ``python -m steps judge PATH``.

============ =========================================================================
adapter      puts the framework into one namespace, under the names of the course
trial        tries the table of capabilities on it, in a child process
report       reports the results as text, HTML, JSON or a badge
============ =========================================================================
"""
