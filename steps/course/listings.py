"""Source code shown in a lesson, highlighted, without being run a second time."""

import inspect
import re

FOR_TOOLS = re.compile(r"  # (type: ignore|noqa)\b.*")
# A docstring that goes on after a blank line: in front of that, and the rest.
LONG = re.compile(r'(?ms)^( *r?"""\S(?:(?!""").)*?)\n\n.*?"""')


class Listing:
    """Code that shows itself, highlighted in a notebook and as text in a terminal."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        # Without a font of its own, a page made by nbconvert would show the code in
        # that of its text.
        return _highlighted(self.text, prestyles="font-family: monospace")


def highlighted_lines(text):
    """The lines of a piece of code as HTML, for a table."""
    return _highlighted(text, nowrap=True).splitlines()


def _highlighted(text, **options):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    look = HtmlFormatter(noclasses=True, nobackground=True, **options)
    return highlight(text, PythonLexer(stripnl=False), look)


class Source(Listing):
    """The source of a class or function of the package, but for comments that are meant
    for tools; of each docstring the first paragraph, or all with ``doc``.
    """

    def __init__(self, thing, doc=False):
        text = inspect.getsource(getattr(thing, "fget", thing)).rstrip()
        text = text if doc else LONG.sub(r'\1"""', text)
        super().__init__(FOR_TOOLS.sub("", text))
