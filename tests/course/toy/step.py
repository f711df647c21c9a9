"""A step."""


def one():
    return 1
