"""Source code shown in a lesson, highlighted, without being run a second time."""

import inspect


class Source:
    """The source of a class or function of the package; shows itself in a notebook and in a terminal."""

    def __init__(self, thing):
        self.text = inspect.getsource(thing).rstrip()

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

        return highlight(self.text, PythonLexer(), HtmlFormatter(noclasses=True, nobackground=True))
