"""Code that the tests share: tables of capabilities, checks of functions and of
lessons.
"""
