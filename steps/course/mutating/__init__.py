"""Measures checks with mutants: solutions with one small planted fault.

============ =========================================================================
mutants      plants the faults
planted      plants failures that every check has to answer with a sentence
slicing      finds the parts of a lesson that its exercises need
fork_pool    tries many attempts at the same place in a lesson
scores       counts how many mutants the checks of a lesson find
============ =========================================================================
"""
