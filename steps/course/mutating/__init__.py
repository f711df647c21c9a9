"""Measures checks with mutants: solutions with one small fault planted.

============ =========================================================================
mutants      plants the faults
planted      failures that every check has to answer with a sentence
slicing      the part of a lesson that its exercises need
fork_pool    tries many attempts at one place of a lesson
scores       how many mutants the checks of a lesson find
============ =========================================================================
"""
