"""The package that grows: the framework as its reader writes it, from step 33 to 60.

Use it through a step: ``steps.step41`` has what there is at step 41, and it is the
steps that give `Variable` its methods. ``steps.step60`` has the whole.

`attention` and `gpt` go on from there: what lessons 69 to 74 need when they run
on a package of one's own, as they do in the workshop.
"""
