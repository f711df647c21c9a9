"""Show source code in a lesson, highlighted, without running it again."""

import inspect
import re

TOOL_COMMENT = re.compile(r"  # (type: ignore|noqa)\b.*")
# A docstring of several paragraphs; group 1 is the first.
LONG_DOCSTRING = re.compile(r'(?ms)^( *r?"""\S(?:(?!""").)*?)\n\n.*?"""')
# Fallbacks for where JupyterLab's colours are missing; mixed with the text colour, they
# are readable on light and dark backgrounds.
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
    """Code, displayed with highlighting in a notebook and as text in a terminal."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        # The listing sets its font, because a page made by nbconvert would use that of
        # its text.
        return STYLE + _highlight(self.text)


def _highlight(text):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    formatter = HtmlFormatter(cssclass="course-code", prestyles=f"font:{FONT}")
    page = highlight(text, PythonLexer(stripnl=False), formatter)
    return PLAIN_SPAN.sub(r"\1", page)


class Source(Listing):
    """The source of a class or function, without comments for tools. Docstrings are cut
    to their first paragraph unless ``doc`` is true.
    """

    def __init__(self, thing, doc=False):
        text = inspect.getsource(getattr(thing, "fget", thing)).rstrip()
        text = text if doc else LONG_DOCSTRING.sub(r'\1"""', text)
        super().__init__(TOOL_COMMENT.sub("", text))
