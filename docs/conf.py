"""The site: ``python start.py docs``, or ``sphinx-build -W docs docs/_build/html``.

Sphinx and myst-nb render what is there already: the built notebooks with their outputs,
the pages of this folder, and the docstrings. `_ext/pages.py` writes the pages that
follow from the course itself, into folders that git does not see. Nothing is executed,
and no page asks another host for anything.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

import languages  # noqa: E402
import pages  # noqa: E402
from address import repository  # noqa: E402

import dezero_lite  # noqa: E402

project = "dezero_lite"
author = "the authors of dezero_lite"
version = release = dezero_lite.__version__
copyright = author
html_show_copyright = False

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", languages.FOLDER]
# A traceback that Python words in its own way is shown without colours.
suppress_warnings = ["misc.highlighting_failure"]

nb_execution_mode = "off"
nb_merge_streams = True
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath", "colon_fence"]
# A traceback is not for copying, nor what a cell prints.
copybutton_selector = ".cell_input pre, .highlight-python pre, .highlight-default pre"

napoleon_google_docstring = False
napoleon_use_rtype = False
# Parameters that share a description keep sharing it.
napoleon_use_param = False
# `x` in a docstring is code, and leads to its place where it has one.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
add_module_names = False

html_theme = "furo"
html_title = "dezero_lite"
html_favicon = "_static/icon.svg"
html_static_path = ["_static", "course/pictures"]
html_css_files = ["course.css"]
html_js_files = ["course.js"]
html_copy_source = False
html_show_sphinx = False
# Their colours all stand out from their paper as the accessibility guidelines ask.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


# What leads out of the site, where the course has an address.
if known := repository():
    html_extra_path = ["course/away"]
    html_baseurl = known.site or ""
    if html_baseurl:
        extensions += ["sphinx_sitemap", "sphinxext.opengraph"]
        sitemap_url_scheme = "{link}"
        ogp_site_url = html_baseurl
        ogp_image = "_static/card.png"
        ogp_enable_meta_description = True


def level_of_captions(app, page, template, context, doctree):
    """Sphinx calls the captions beside the page headings, but not of which level."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def under_the_title(app, page, template, context, doctree):
    """A lesson says where in the course it is, and how it can be had elsewhere."""
    if lesson := re.fullmatch(r"lessons/step(\d+)", page):
        number = int(lesson[1])
        with_facts = f"</h1>\n{pages.beginning(number)}"
        context["body"] = context["body"].replace("</h1>", with_facts, 1)


def in_chinese(app, page, template, context, doctree):
    """A page that is translated leads to its translation."""
    languages.lead_to_other(context, page, f"{languages.FOLDER}/", "zh", "中文")


def where_to_edit(app, page, template, context, doctree):
    """A page of a lesson is changed in the lesson's text."""
    source = re.sub(r"^lessons/(\w+)$", r"steps/\1.md", page)
    if known and not page.startswith(("course/", "api/")):
        path = source if source != page else f"docs/{page}.md"
        context["theme_source_edit_link"] = known.edit(path)


def setup(app):
    app.connect("config-inited", lambda *_: pages.write(HERE))
    app.connect("source-read", pages.lead_to_lessons)
    # Before napoleon, whose place is 500, and after it.
    app.connect("autodoc-process-docstring", pages.keep_colons, priority=400)
    app.connect("autodoc-process-docstring", pages.name_the_step, priority=600)
    app.connect("html-page-context", under_the_title)
    app.connect("html-page-context", in_chinese)
    app.connect("html-page-context", where_to_edit)
    # After the theme has written what stands beside the page.
    app.connect("html-page-context", level_of_captions, priority=900)
