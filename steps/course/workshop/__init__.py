"""The workshop, in which the learner writes the framework.

===================== ================================================================
package               the framework package at each step, as source code
step                  the definitions of a step, and which of them the learner writes
stubs                 the cells in which the learner writes
learner_code          the definitions in the cells of a notebook
attempt               the learner's code for a step, on top of their earlier framework
notebook              the notebook of a step, and the lesson's cells that judge it
workspace             the learner's notebooks and files in my-course/workshop
trial                 runs the lesson's cells and the table in a separate process
asserts               makes assertions record the values that they compare
verdict               whether an attempt is right and, if not, where to look
carrying              carries a change to a step over to later steps
report                the verdict in words, and the line of progress marks
session               makes the definitions in a running notebook the step
hints                 hints in stages: two from hints.md, then a skeleton of the code
split_core            splits the core into modules, as the learner decided in lesson 23
learner_module        loads the learner's framework, and writes it as a package
workshop_command      the commands in a terminal, and judging at every save
cut, modules          names that older copies of lesson 23 import
capabilities_package  the table of capabilities from step 33 on
===================== ================================================================
"""
