"""The workshop: the learner writes the framework.

===================== ================================================================
package               the package that grows, as a text of several modules
step                  what a step brings, and what of it is left to the learner
stubs                 the cells in which the learner writes
learner_code          what the cells of a notebook define
attempt               what the learner wrote, on top of what they had before
notebook              the notebook of a step, and the lesson's cells that judge
workspace             my-course/workshop: notebooks, files, and that none is lost
trial                 runs the lesson's cells and the table in a process of its own
asserts               lets assertions record what they compare
verdict               whether an attempt is right, and if not, where to look
carrying              a change to a step, carried over to later ones
report                the verdict in words, and a line with a mark for each step
session               what a notebook's cells define becomes the step
hints                 hints in stages: two from hints.md, one from the lesson's own code
split_core            the core split into rooms, as its owner decided in lesson 23
learner_module        what the learner wrote: as a module, as files, as what can leave
workshop_command      the commands in a terminal, and judging at every save
cut, modules          names that older copies of lesson 23 import
capabilities_package  the table of capabilities from step 33 on
===================== ================================================================
"""
