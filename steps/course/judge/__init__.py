"""The judge: runs a lesson's cells, then the attempt at an exercise, then its check.

=========== ==========================================================================
attempts    judges the attempts at a lesson's exercises, each at its place
cells       runs one cell and reports how it fails
cell_text   examines the source of a cell without running it
child       starts the process in which attempts run, and enforces its deadlines
__main__    the main loop of that process
audit_hook  rejects forbidden actions of students' code, within Python
bubblewrap  isolates the process from the system, if bubblewrap is installed
=========== ==========================================================================
"""
