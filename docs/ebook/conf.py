"""The ebook, ``python start.py docs --epub`` or ``--pdf``: the lessons with the site's
settings, but without what only a browser can show.
"""

import re
import runpy
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

SITE = runpy.run_path(str(Path(__file__).parents[1] / "conf.py"))
globals().update(SITE)

html_title = epub_title = "Write a deep-learning framework yourself"
html_theme, html_theme_options = "basic", {"nosidebar": True}
html_static_path, html_favicon = ["style"], None
html_css_files, html_js_files = ["ebook.css"], []
epub_show_urls, html_permalinks = "no", False
epub_css_files = ["ebook.css"]
html_math_renderer = "mathml"
extensions = [name for name in SITE["extensions"] if "mathjax" not in name]
# Pages beside the lessons are there to be linked to, and in no list; what Sphinx keeps
# for its next run stays out of the ebook.
suppress_warnings = ["toc.not_included", "epub.unknown_project_files"]
suppress_warnings += SITE["suppress_warnings"]

BOOK = f"""# {html_title}

```{{toctree}}
course/index
glossary
```
"""

PLAYER = re.compile(r"""<iframe(?:[^>"']|"[^"]*"|'[^']*')*>(.*?)</iframe>""", re.S)


def only_lessons(app, page, text):
    """In place of the site's front page, the lessons by stage."""
    if page == "index":
        text[0] = BOOK


def own_style(app, page, template, context, doctree):
    """An ebook is packed before myst-nb adds its style."""
    files = context.get("css_files", [])
    context["css_files"] = [name for name in files if "mystnb" not in str(name)]


def without_players(app, doctree, page):
    """Of a player, the picture and the sentences that stand in for it; the rest of an
    output's HTML in the strict form that an ebook asks for.
    """
    for node in doctree.findall(nodes.raw):
        still = BeautifulSoup(PLAYER.sub(r"\1", node.astext()), "html.parser")
        for script in still.find_all("script"):
            script.decompose()
        node.children = [nodes.Text(str(still))]


# Commands that docutils does not know, and what comes near them.
NEAR = {r"\dots": r"\ldots", r"\texttt": r"\text", r"\big": "", r"\Big": ""}


def mathml(text, block=False):
    """A formula as MathML, which needs no script."""
    known = re.sub(r"\\[A-Za-z]+", lambda found: NEAR.get(found[0], found[0]), text)
    # XML has no such name for this sign, which cannot be seen.
    return tex2mathml(known, as_block=block).replace("&ApplyFunction;", "\u2061")


def formula(translator, node):
    block = isinstance(node, nodes.math_block)
    translator.body.append(mathml(node.astext(), block))
    raise nodes.SkipNode


def setup(app):
    SITE["setup"](app)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.connect("source-read", only_lessons)
    app.connect("doctree-resolved", without_players)
    app.connect("html-page-context", own_style)
