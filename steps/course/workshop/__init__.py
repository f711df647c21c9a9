"""The workshop: the learner writes the framework.

================= ====================================================================
parts             cuts a module into what can be written and replaced by itself
modules           a module as text, into which parts are put
framework         what the learner wrote, on top of what they had before
learner_code      what the cells of a notebook define
stubs             the cells in which the learner writes
notebook          the notebook of a step, and the lesson's cells that judge
folder            my-course/workshop: notebooks, files, and that none is lost
trial             tries a framework
trial_process     the process in which that is done
evidence          what a line that is not true compared
verdict           whether it is right, and if not, where to look
report            the verdict in words
hints             hints in stages: two from hints.md, one from the lesson's own code
session           what a notebook's cells define becomes the step
learner_module    what the learner wrote as a module, for step 23 and lessons 38 to 43
way               the whole way, a mark for each step
while_writing     judges at every save
workshop_command  the commands in a terminal
================= ====================================================================
"""
