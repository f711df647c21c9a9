"""Prepare the kernel of a notebook that imports steps.

A failed assertion shows one sentence, any other error in a lesson's cell says where
to look, an HTML page also has a plain-text form, and pictures appear in the notebook.
"""

import ast
import html
import linecache
import logging
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

from .checks import BOLD, PLAIN
from .exercises import CHECK
from .interactive import get_ipython_shell
from .translation.catalogues import LOCALE
from .translation.tool import get_language

TAG = re.compile(r"<style>.*?</style>|<(/?)(\w*)[^>]*>", re.S)
# The closing tags of these end a line.
BLOCK_TAGS = ("div", "h1", "h2", "h3", "li", "p", "summary", "table", "tr")
INLINE = "module://matplotlib_inline.backend_inline"
GREY = "\x1b[90m"
# Tells Graphviz of a folder with fonts.
FONTS = """<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>{}</dir>
</fontconfig>
"""
# JupyterLab sends the id and tags of a cell with its code; graders and other programs
# that run notebooks send neither. Cells added by the reader have other ids.
LESSON_CELL = re.compile(r"(step\d\d|start)-\d+$")


def prepare():
    """Prepare the kernel that runs this code, if there is one."""
    shell = get_ipython_shell()
    if not hasattr(shell, "kernel"):
        return
    shell.set_custom_exc((Exception,), _show_error)
    texts = shell.display_formatter.formatters["text/plain"]
    texts.for_type_by_name("IPython.core.display", "HTML", _print_as_text)
    if language := get_language():
        _add_fonts(shell, LOCALE / language)
    # The kernel would obey an exported MPLBACKEND, which is meant for scripts.
    if os.environ.get("MPLBACKEND", INLINE) != INLINE:
        os.environ["MPLBACKEND"] = INLINE
        if "matplotlib" in sys.modules:
            shell.enable_matplotlib("inline")


def _add_fonts(shell, folder):
    """Use the fonts of a language, in plots and in graphs, for the characters that
    DejaVu Sans lacks.
    """
    from matplotlib import font_manager, rc

    # Not a word about bold text, for which the fonts have no characters.
    logging.getLogger(font_manager.__name__).setLevel(logging.ERROR)
    if sys.platform == "linux":  # other systems have fonts for all languages
        path = Path(tempfile.gettempdir()) / f"{folder.name}-fonts.conf"
        path.write_text(FONTS.format(folder), encoding="utf-8")
        os.environ.setdefault("FONTCONFIG_FILE", str(path))
    families = ["DejaVu Sans"]
    for path in sorted(folder.glob("*.otf")):
        font_manager.fontManager.addfont(path)
        families.append(font_manager.get_font(path).family_name)

    def apply(_):
        rc("font", family=families)
        # The course's style, which a lesson's first cell applies, makes titles bold.
        rc("axes", titleweight="normal")

    shell.events.register("pre_run_cell", apply)


def _show_error(shell, kind, error, trace, tb_offset=None):
    """Show one sentence instead of the traceback if it is enough; ``%tb`` shows all."""
    asked = shell.kernel.get_parent("shell").get("metadata", {})
    tags, frames = asked.get("tags", ()), traceback.extract_tb(trace)[1:]
    is_lesson = LESSON_CELL.match(asked.get("cellId", ""))
    shown = advice = ""
    if CHECK in tags and _is_sentence(error):
        # The surrounding lines would give the answer away.
        shown = f"{BOLD}{error}{PLAIN}"
    elif is_lesson and (line := _find_fact(error, frames)):
        shown = f"{GREY}{line}  # the text above is about the original numbers{PLAIN}"
    elif is_lesson and not {CHECK, "raises-exception"} & {*tags}:
        advice = (
            "If you did not change this cell, the cause is above it: something that "
            "you changed, or a cell that did not run."
        )
    if shown and not hasattr(error, "_render_traceback_"):
        error._render_traceback_ = lambda: [shown]
    try:
        shell.showtraceback((kind, error, trace), running_compiled_code=True)
    finally:
        vars(error).pop("_render_traceback_", None)
    if advice and not (_is_sentence(error) or isinstance(error, SyntaxError)):
        print(f"{GREY}{advice}{PLAIN}")


def _is_sentence(error):
    return isinstance(error, AssertionError) and str(error)


def _find_fact(error, frames):
    """Find the assertion without a message that failed or raised an error; return its
    first line, or an empty string.
    """
    if _is_sentence(error) or not frames:
        return ""
    place = frames[0]  # the frame in the cell
    lines = linecache.getlines(place.filename)
    for node in ast.walk(ast.parse("".join(lines))):
        if not isinstance(node, ast.Assert) or node.msg:
            continue
        if node.lineno <= place.lineno <= node.end_lineno:
            return lines[node.lineno - 1].strip()
    return ""


def _print_as_text(page, printer, cycle):
    printer.text(convert_to_text(page.data))


def convert_to_text(page):
    """Convert HTML to plain text, with code as it was written."""

    def replace_tag(tag):
        closes, name = tag[1], tag[2]
        if name in ("td", "th"):
            return "\t" if closes else ""
        return "\n" if name == "br" or (closes and name in BLOCK_TAGS) else ""

    return html.unescape(TAG.sub(replace_tag, page)).strip("\n")
