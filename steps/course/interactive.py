"""Find out whether a person is watching: stored notebooks get no animations."""

import sys


def get_ipython_shell():
    """Return IPython's shell if it runs this code, else None."""
    return sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()


def is_interactive():
    """Return whether a person is watching: in a notebook, whether the front end can ask
    for input; elsewhere, whether this is a terminal.

    JupyterLab can ask for input. Programs that run notebooks, such as nbval or
    nbconvert, cannot.
    """
    kernel = getattr(get_ipython_shell(), "kernel", None)
    if kernel is None:
        return sys.stderr.isatty()
    asked = kernel.get_parent("shell")
    return bool(asked.get("content", {}).get("allow_stdin"))
