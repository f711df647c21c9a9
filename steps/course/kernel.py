"""Prepares the kernel of a notebook that imports steps: a failed check shows its
sentence, a page of HTML has a text, for where it is not shown, and pictures are in the
notebook.
"""

import html
import os
import re
import sys

from .exercises import CHECK
from .watching import notebook_shell

TAG = re.compile(r"<style>.*?</style>|<(/?)(\w*)[^>]*>", re.S)
# After these, the text goes on in a line of its own.
BLOCK_TAGS = ("div", "h1", "h2", "h3", "li", "p", "summary", "table", "tr")
INLINE = "module://matplotlib_inline.backend_inline"
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def prepare():
    """Prepare the kernel that runs this, if one does."""
    shell = notebook_shell()
    if not hasattr(shell, "kernel"):
        return
    shell.set_custom_exc((AssertionError,), _show_error)
    texts = shell.display_formatter.formatters["text/plain"]
    texts.for_type_by_name("IPython.core.display", "HTML", _print_as_text)
    # The kernel obeys an exported MPLBACKEND, which is meant for scripts.
    if os.environ.get("MPLBACKEND", INLINE) != INLINE:
        os.environ["MPLBACKEND"] = INLINE
        if "matplotlib" in sys.modules:
            shell.enable_matplotlib("inline")


def _show_error(shell, kind, error, traceback, tb_offset=None):
    """Show what a check says, and that alone: the lines around it would give the answer
    away. The magic ``%tb`` shows the traceback.
    """
    if is_check_running(shell) and str(error):
        error._render_traceback_ = lambda: [f"{BOLD}{error}{PLAIN}"]
    try:
        shell.showtraceback((kind, error, traceback), running_compiled_code=True)
    finally:
        vars(error).pop("_render_traceback_", None)


def is_check_running(shell):
    """Say whether a check runs. JupyterLab sends the tags of a cell along with its
    code; what grades, or runs notebooks by itself, sends none.
    """
    asked = shell.kernel.get_parent("shell").get("metadata", {})
    return CHECK in asked.get("tags", ())


def _print_as_text(page, printer, cycle):
    printer.text(convert_to_text(page.data))


def convert_to_text(page):
    """Convert a piece of HTML to text: without tags, code as it was written."""

    def replace_tag(tag):
        closes, name = tag[1], tag[2]
        if name in ("td", "th"):
            return "\t" if closes else ""
        return "\n" if name == "br" or (closes and name in BLOCK_TAGS) else ""

    return html.unescape(TAG.sub(replace_tag, page)).strip("\n")
