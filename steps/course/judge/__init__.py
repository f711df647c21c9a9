"""The one judge: runs a lesson's cells up to the exercise, the attempt, then its check.

=========== ==========================================================================
attempts    judges the attempts at a lesson, each where the lesson asks for it
cells       runs one cell and says what it fails with
cell_text   reads a cell without running it
child       the process in which attempts run, with its deadline
__main__    what runs in that process
audit_hook  refuses what students' code may not do, in Python
bubblewrap  keeps it in by means of the system, where there is bubblewrap
=========== ==========================================================================
"""
