"""The classroom: tools for teachers to hand out lessons and grade submissions.

=============== ======================================================================
handout         writes copies, nbgrader's sources, and a package without solutions
repository      writes a student's repository, which is judged at each push
archives        finds files in folders and zips, as learning platforms pack them
roster          reads the list of a class
submissions     reads the notebooks that students handed in
answers         finds the answers in a notebook, and lists the cells to run
grading         judges all submissions, and awards the points
gradebooks      writes the points for teachers, Moodle or Canvas
feedback        writes a page for each student
class_command   adds the command ``python -m steps class``
=============== ======================================================================

Nothing here trusts a submission: it is read as data, its code runs isolated by
``judge`` with limits on time and memory, and an error is reported for that student
while the others are graded.
"""
