"""The course tool: builds, compares and checks the lessons of ``steps/``.

=============== ======================================================================
lessons         where a lesson's files are, its front matter and its header
definitions     reads the definitions in a module's source code
module_text     adds definitions to a module's source code, and removes them
package_files   writes and runs a package that a lesson has as a dict of strings
differences     what changed between two steps
listings        shows the package's own code
sources         finds the package code that a lesson shows
pictures        draws graphs described as text
films           animations: a player, or a picture that plays once
kernel          prepares a notebook's kernel for ``import steps``
interactive     tells whether a person is watching, for animations
formats         imports nbformat and jupytext quickly
overview        the map, and the links between lessons
exercises       solutions, and the stubs that replace them
builder         turns text and code into a notebook
help            hints and solutions on request
student_copies  students' copies of the lessons, without solutions
learner_folder  the learner's own folder, updated without losing work
judge           runs attempts after the cells above them; a package
capabilities    what a framework can do, found by trying
workshop        the learner writes the steps; a package
progress        which exercises are solved in a folder
results         verdicts in formats for other programs
classroom       hands out lessons, grades submissions; a package
slides          slides of a lesson
mutating        measures checks with mutants of solutions; a package
new_lesson      creates the skeleton of a new step
commands        the command line, ``python -m steps``
=============== ======================================================================
"""

# The course may not be in any package index, so the message names the place that it was
# installed from.
MISSING = (
    'This needs {}: pip install "WHERE[course,test]", where WHERE is the checkout or '
    "the wheel that you installed the course from"
)
