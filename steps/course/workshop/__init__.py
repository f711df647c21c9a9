"""The workshop: the learner writes the framework.

================= ====================================================================
parts             cuts a module into what can be written and replaced by itself
modules           a module as text, into which parts are put
package           the package that grows, as a text of rooms: what a step brings, and
                  what of it is left to the learner
framework         what the learner wrote, on top of what they had before
learner_code      what the cells of a notebook define
notebook          the notebook of a step, with its stubs, and the cells that judge
folder            my-course/workshop: notebooks, files, and that none is lost
growth            the table of capabilities from step 33 on
trial             tries a framework, in a process of its own, and notes what it compares
verdict           whether it is right, and if not, where to look
report            the verdict in words, and the whole way, a mark for each step
hints             hints in stages: two from hints.md, one from the lesson's own code
session           what a notebook's cells define becomes the step
cut               the core cut into rooms, as its owner decided in lesson 23
learner_module    what the learner wrote as a module, as files, and as what can leave
workshop_command  the commands in a terminal, and judging at every save
================= ====================================================================
"""
