"""Source code shown in a lesson, highlighted, without being run a second time."""

import contextlib
import inspect
import re
from operator import attrgetter

import dezero_lite


class Source:
    """The source of a class or function of the package; shows itself in a notebook and
    in a terminal.
    """

    def __init__(self, thing):
        self.text = inspect.getsource(thing).rstrip()

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

        # Without a font of its own, a page made by nbconvert would show the code in
        # that of its text.
        font = "font-family: monospace"
        return highlight(
            self.text,
            PythonLexer(),
            HtmlFormatter(noclasses=True, nobackground=True, prestyles=font),
        )


def shown(lesson):
    """The source of what a lesson shows of the package by its name, as in
    ``steps.source(Variable.backward)``.
    """
    texts = []
    for path in re.findall(r"\bsteps\.source\(([\w.]+)\)", lesson):
        for home in (dezero_lite, dezero_lite.functions, dezero_lite.layers):
            with contextlib.suppress(AttributeError):
                texts.append(inspect.getsource(attrgetter(path)(home)))
                break
    return texts
