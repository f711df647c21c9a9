"""Shows source code in a lesson, highlighted, without running it a second time."""

import inspect
import re

TOOL_COMMENT = re.compile(r"  # (type: ignore|noqa)\b.*")
# A docstring that goes on after a blank line: in front of that, and the rest.
LONG_DOCSTRING = re.compile(r'(?ms)^( *r?"""\S(?:(?!""").)*?)\n\n.*?"""')
# JupyterLab has colours for these. Elsewhere the ones here stand out on light and on
# dark paper, mixed with the colour of the text around.
COLOURS = {
    "keyword": ("[class^=k],.ow", "#0a8f2e"),
    "def": (".nf,.nc,.fm", "#3b7ddd"),
    "builtin": (".nb,.bp", "#0b8a86"),
    "meta": (".nd", "#9457d6"),
    "string": ("[class^=s]", "#d0443c"),
    "number": ("[class^=m]", "#b26a00"),
    "operator": (".o", "#9457d6"),
    "comment": ("[class^=c]", "#5f8585"),
}
RULE = (
    ".course-code :is({1}){{color:color-mix(in srgb,"
    "var(--jp-mirror-editor-{0}-color,{2}) 60%,currentColor)}}"
)
PLAIN_SPAN = re.compile('<span class="(?:n|nn|p|w)">(.*?)</span>')
RULES = (RULE.format(name, *look) for name, look in COLOURS.items())
STYLE = f"<style>{''.join(RULES)}</style>"
FONT = "var(--jp-code-font-size,var(--course-code-size,13px))/1.4 monospace"


class Listing:
    """Code that shows itself, highlighted in a notebook and as text in a terminal."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        # Without a font of its own, a page made by nbconvert would show the code in
        # that of its text.
        return STYLE + _highlight(self.text)


def _highlight(text):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    formatter = HtmlFormatter(cssclass="course-code", prestyles=f"font:{FONT}")
    page = highlight(text, PythonLexer(stripnl=False), formatter)
    return PLAIN_SPAN.sub(r"\1", page)


class Source(Listing):
    """Shows the source of a class or function of the package, but for comments that are
    meant for tools; of each docstring the first paragraph, or all with ``doc``.
    """

    def __init__(self, thing, doc=False):
        text = inspect.getsource(getattr(thing, "fget", thing)).rstrip()
        text = text if doc else LONG_DOCSTRING.sub(r'\1"""', text)
        super().__init__(TOOL_COMMENT.sub("", text))
