"""The course tool: what builds, compares and checks the lessons of ``steps/``.

=============== ======================================================================
lessons         where the files of a lesson are, and what its head says
definitions     cuts a module's text into definitions
differences     what changed between two steps
sources         shows the package's own code
side_by_side    two pieces of code beside each other
pictures        draws graphs written as text
overview        the map, and the links between lessons
exercises       solutions, and the stubs that take their place
builder         from text and code to a notebook
copies          students' copies of the lessons
beginning       the skeleton of a new step
commands        the command line, ``python -m steps``
=============== ======================================================================
"""
