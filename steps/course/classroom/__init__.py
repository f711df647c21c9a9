"""The classroom: what a teacher hands out, gets back, and grades.

=============== ======================================================================
handout         copies to hand out, nbgrader's sources, a package without solutions
submissions     who handed in what, in a folder of submissions
answers         from a student's notebook to the cells that have to run
grading         judges all of them, and writes the points
class_command   the command line, ``python -m steps class``
=============== ======================================================================

Nothing here trusts what a student handed in: it is read as data, what runs of it runs
behind the fence of ``judge``, with limits of time and memory, and whatever goes wrong
is said about that student while the others are graded.
"""
