"""The course tool: what builds, compares and checks the lessons of ``steps/``.

=============== ======================================================================
lessons         where the files of a lesson are, and what its head says
definitions     reads the definitions in the text of a module
module_text     puts definitions into the text of a module, and drops them
package_files   writes a package that a lesson has as texts, and tries it out
differences     what changed between two steps
listings        shows the package's own code
sources         finds what a lesson shows of the package
pictures        draws graphs written as text
films           animations: a player, or a picture that moves once
kernel          what `import steps` adds to a notebook's kernel
watching        whether somebody watches: what moves is for them
formats         nbformat and jupytext, without a detour
overview        the map, and the links between lessons
exercises       solutions, and the stubs that take their place
builder         from text and code to a notebook
help            hints and solutions on request
student_copies  students' copies of the lessons, without solutions
learner_folder  the learner's own folder, renewed with care
judge           runs attempts where their lesson asks; a package of its own
capabilities    what a framework can do, found out by trying
workshop        the learner writes the steps; a package of its own
progress        which exercises are solved in a folder
results         what was judged, as other programs take it
classroom       hands out lessons, grades what comes back; a package of its own
slides          slides of a lesson
mutating        measures checks with mutants of solutions; a package of its own
beginning       the skeleton of a new step
commands        the command line, ``python -m steps``
=============== ======================================================================
"""

# No index of packages need have the course, so what is named is where it came from.
MISSING = (
    'This needs {}: pip install "WHERE[course,test]", where WHERE is the checkout or '
    "the wheel that you installed the course from"
)
