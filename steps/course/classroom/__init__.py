"""The classroom: what a teacher hands out, gets back, and grades.

=============== ======================================================================
handout         copies to hand out, nbgrader's sources, a package without solutions
repository      what a student's repository needs, to be judged at each push
archives         files in folders and zips, as learning platforms pack them
roster          the people of a class
submissions     who handed in what
answers         from a student's notebook to the cells that have to run
grading         judges all of them, and writes the points
gradebooks      points as Moodle and Canvas take them
feedback        a page for each student
class_command   the command line, ``python -m steps class``
=============== ======================================================================

Nothing here trusts what a student handed in: it is read as data, what runs of it runs
isolated by ``judge``, with limits of time and memory, and whatever goes wrong
is said about that student while the others are graded.
"""
