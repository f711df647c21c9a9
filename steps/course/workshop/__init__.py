"""The workshop: the learner writes the framework.

================= ====================================================================
package           the package that grows, as a text of rooms: what a step brings, and
                  what of it is left to the learner
framework         what the learner wrote, on top of what they had before
learner_code      what the cells of a notebook define
stubs             the cells in which the learner writes
notebook          the notebook of a step, and the lesson's cells that judge
folder            my-course/workshop: notebooks, files, and that none is lost
growth            the table of capabilities from step 33 on
trial             tries a framework, in a process of its own, and notes what it compares
verdict           whether it is right, and if not, where to look
report            the verdict in words, and the whole way, a mark for each step
hints             hints in stages: two from hints.md, one from the lesson's own code
session           what a notebook's cells define becomes the step
split_core        the core split into rooms, as its owner decided in lesson 23
cut, modules      names that older copies of lesson 23 import
learner_module    what the learner wrote as a module, as files, and as what can leave
workshop_command  the commands in a terminal, and judging at every save
================= ====================================================================
"""
