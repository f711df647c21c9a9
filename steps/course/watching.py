"""Whether somebody watches: what moves is for them, and not for a stored notebook."""

import sys


def notebook_shell():
    """IPython's shell, if it runs this; else None."""
    return sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()


def is_watched():
    """Whether the front end has a person before it: in a notebook, one who could be
    asked for input; else, one at a terminal.

    JupyterLab can ask. What runs notebooks by itself, nbval or nbconvert, cannot.
    """
    kernel = getattr(notebook_shell(), "kernel", None)
    if kernel is None:
        return sys.stderr.isatty()
    asked = kernel.get_parent("shell")
    return bool(asked.get("content", {}).get("allow_stdin"))
