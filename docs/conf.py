"""The site: ``python start.py docs``, or ``sphinx-build -W docs docs/_build/html``.

Sphinx and myst-nb render what is there already: the built notebooks with their outputs,
the pages of this folder, and the docstrings. `pages.py` writes the pages that follow
from the course itself, into folders that git does not see. Nothing is executed, and no
page asks another host for anything.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402

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
]
exclude_patterns = ["_build"]
# A traceback that Python words in its own way is shown without colours.
suppress_warnings = ["misc.highlighting_failure"]

nb_execution_mode = "off"
nb_merge_streams = True
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath", "colon_fence"]
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"

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
html_static_path = ["_static"]
html_css_files = ["course.css"]
html_js_files = ["course.js"]
html_copy_source = False
html_show_sphinx = False
# Their colours all stand out from their paper as the accessibility guidelines ask.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def level_of_captions(app, page, template, context, doctree):
    """Sphinx calls the captions beside the page headings, but not of which level."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def setup(app):
    app.connect("config-inited", lambda *_: pages.write(HERE))
    app.connect("source-read", pages.lead_to_lessons)
    # Before napoleon, whose place is 500, and after it.
    app.connect("autodoc-process-docstring", pages.keep_colons, priority=400)
    app.connect("autodoc-process-docstring", pages.name_the_step, priority=600)
    # After the theme has written what stands beside the page.
    app.connect("html-page-context", level_of_captions, priority=900)
