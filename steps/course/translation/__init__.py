"""The course in other languages: gettext catalogues, applied to finished notebooks.

========== ============================================================================
markdown   finds the units of a Markdown text, and replaces them
literals   finds the string literals of a program, and replaces them
catalogues reads and updates the catalogues in ``steps/locale``
notebooks  translates a notebook, and collects what there is to translate
pages      translates the README and pages of the docs
tool       the learner's language; translates the course tool's own messages
review     finds what a translation has lost or added
command    the command line, ``python -m steps translate``
========== ============================================================================

Code, cell ids, tags and outputs stay, so a translated lesson computes the same. A unit
without a translation, or whose English has changed since, stays English and is counted.
"""
