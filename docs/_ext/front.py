"""The parts of the front page: its buttons, the player, the stages, and pictures from
the lessons.
"""

import base64
import json
import re
from html import escape

from address import repository

from steps.course import overview
from steps.course.lessons import (
    module_path,
    notebook_path,
    numbers,
    read_front_matter,
    stem,
)

# How many of a lesson's printed sentences its card shows.
LINES = 3


def write(folder):
    """Write the parts of the front page to a folder of the site's sources."""
    pieces = {
        "intro": intro(),
        "ways": ways_in(),
        "player": player(),
        "stages": overview.make_dots(lambda n: f"lessons/{stem(n)}.html", gains=True),
    }
    pieces |= {"cards": cards(folder), "whole": whole(), "get": get_it()}
    for name, html in pieces.items():
        (folder / f"{name}.html").write_text(html, "utf-8")


def intro():
    """Return the introduction: the size of the course, its licence and requirements."""
    return (
        f"<p>{len(numbers())} notebooks, free to use, change and teach with (MIT "
        "licence). They run on a laptop, without a network, and every number that they "
        "print is tested.</p>\n"
    )


def ways_in():
    """Return the buttons; some need the address of the repository."""
    known = repository()
    ways = {"Start step 1": "lessons/step01.html"}
    if known and known.binder:
        ways["Run it in the browser"] = known.binder
    ways["Get it"] = "#get-it"
    if known:
        ways["Repository"] = known.url
    links = [f'<a href="{escape(to)}">{words}</a>' for words, to in ways.items()]
    return f'<p class="ways">{"".join(links)}</p>\n'


def get_it():
    """Return the commands that fetch and open the course."""
    known = repository()
    first = f"git clone {known.url}\ncd {known.name}\n" if known else ""
    words = (
        ""
        if first
        else (
            "<p>Unpack the course, or clone its repository, and open a terminal in the "
            "folder that has <code>start.py</code>.</p>\n"
        )
    )
    code = f"<pre>{escape(first)}python start.py</pre>"
    return (
        f'{words}<div class="highlight-default notranslate"><div class="highlight">'
        f"{code}</div></div>\n"
    )


def player():
    """Return the player of a graph: the area of two squares, with its gradients."""
    import numpy as np

    from dezero_lite import Variable
    from dezero_lite.player import play

    a, b = Variable(np.array(3.0)), Variable(np.array(4.0))
    area = a**2 + b**2
    played = play(area, a=a, b=b, area=area)
    for step in played.steps:
        # Visitors do not know yet what a generation or a worklist is.
        step.waiting = [entry.strip("()").split(", ")[-1] for entry in step.waiting]
        names = ", ".join(step.waiting) or "nothing"
        step.say = re.sub("Worklist: .*", f"Still to do: {names}.", step.say)
    # Begin with all values in the graph, so that a gradient is the first to move.
    forward = [step for step in played.steps if not step.back]
    page = played.html(first=len(forward) - 1, pause=800)
    # On a phone, the graph becomes smaller before it scrolls.
    page = page.replace("${0.85 * width}", "${0.7 * width}")
    return page.replace(': "worklist";', ': "still to do";')


def cards(folder):
    """Return the cards: pictures and sentences from the lessons, with links to them."""
    made = ['<div class="cards">']
    for number in [number for number in numbers() if read_front_matter(number).card]:
        card = read_front_matter(number).card
        made.append(
            f'<a href="lessons/{stem(number)}.html">'
            f"{_shown(number, card['cell'], folder)}<strong>{card['title']}</strong> "
            f"<span>{card['words']}. Step {number}.</span></a>"
        )
    return "\n".join([*made, "</div>", ""])


def _shown(number, source, folder):
    """Return a cell's picture, saved beside the page, or the last sentences printed."""
    book = json.loads(notebook_path(number).read_text(encoding="utf-8"))
    codes = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    cells = [cell for cell in codes if source in "".join(cell["source"])]
    if len(cells) != 1:
        raise LookupError(
            f"The front page shows the one cell of step {number} with {source!r}, and "
            f"there are {len(cells)}: see `card` in the front matter of its lesson"
        )
    (cell,) = cells
    for output in cell["outputs"]:
        if picture := output.get("data", {}).get("image/png"):
            words = output["metadata"]["image/png"]["alt"]
            path = folder / "pictures" / f"{stem(number)}.png"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(base64.b64decode("".join(picture)))
            source = f"_static/{path.name}"
            return f'<img src="{source}" alt="{escape(words)}">'
    printed = ["".join(output.get("text", "")) for output in cell["outputs"]]
    lines = [line.strip() for line in "".join(printed).splitlines()]
    sentences = list(dict.fromkeys(line for line in lines if line.endswith((".", "…"))))
    return "<pre>" + escape("\n".join(sentences[-LINES:])) + "</pre>"


def whole():
    """Return the code of step 22, folded, to show how small a framework can be."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    from steps import step22
    from steps.step68 import lines_of_code

    text = module_path(22).read_text(encoding="utf-8")
    code = highlight(text, PythonLexer(), HtmlFormatter())
    return (
        f"<details><summary>All of step 22: {lines_of_code(step22)} lines of code"
        f"</summary>\n{code}</details>\n"
    )
