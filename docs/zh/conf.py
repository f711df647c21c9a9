"""The Chinese site, in ``zh/`` of the English one: the lessons that are translated.

Their cells run here, so that they print and draw in Chinese. The numbers that they
print have to be those of the English notebooks.
"""

import json
import re
import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCES = Path(__file__).parent
SITE = runpy.run_path(str(SOURCES.parent / "conf.py"))
globals().update(SITE)

import languages  # noqa: E402
import pages  # noqa: E402

from steps.course import builder, lessons  # noqa: E402
from steps.course.exercises import FOLDED  # noqa: E402
from steps.course.translation.notebooks import find_other_numbers  # noqa: E402
from steps.course.translation.pages import translate_page  # noqa: E402
from steps.course.translation.review import read_glossary  # noqa: E402

language = languages.CHINESE
html_static_path = ["../_static"]
html_favicon = "../_static/icon.svg"
html_extra_path = []
# The terms of the glossary, for the search.
html_search_options = {"dict": str(SOURCES / "terms.txt")}
ENGLISH = "../"
LINK = re.compile(
    r"\[(?P<words>[^][]+)\]"
    r"\((?:\.\./)?(?P<page>[-\w/]+)\.(?:ipynb|md)(?P<rest>#[^)]*)?\)"
)
FOLDS = {
    "code": "代码",
    "check": "检查",
    "solution": "答案",
    "full listing": "完整代码",
    "code of the picture": "绘图的代码",
}


def write():
    """Write the sources of the site: the lessons, run in Chinese, and the pages."""
    chosen = [n for n in lessons.with_map() if has_page(f"lessons/{lessons.stem(n)}")]
    (SOURCES / "lessons").mkdir(exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write_lesson, chosen))
    text = translate_page(languages.LEARN, language)
    (SOURCES / "learn.md").write_text(lead_to_english(text, ""), encoding="utf-8")
    words = [word for row in read_glossary(language).values() for word in row]
    (SOURCES / "terms.txt").write_text("\n".join(words), encoding="utf-8")


def write_lesson(number):
    """Run a lesson in Chinese, and write it for the site."""
    notebook = languages.translate(number)
    builder.execute(notebook, language=language)
    english = builder.read_notebook(lessons.notebook_path(number))
    if found := find_other_numbers(english, notebook):
        raise lessons.CourseError(f"In Chinese, other numbers are printed: {found}")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            pages.describe_pictures(cell)
            pages.lead_to_pages(cell)
            lead_dots_to_english(cell)
            words = FOLDS[pages.what_is_in(cell)]
            prompts = {
                "code_prompt_show": f"显示{words}",
                "code_prompt_hide": f"收起{words}",
            }
            cell["metadata"].setdefault("mystnb", {}).update(prompts)
        else:
            cell["source"] = lead_to_english(cell["source"], "lessons/")
    path = SOURCES / "lessons" / f"{lessons.stem(number)}.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")


def name_fold(cell):
    """Label a folded cell with the kind of its contents."""
    if FOLDED in cell["metadata"].get("tags", ()):
        kind = FOLDS[pages.what_is_in(cell)]
        prompts = {"code_prompt_show": f"显示{kind}", "code_prompt_hide": f"收起{kind}"}
        cell["metadata"].setdefault("mystnb", {}).update(prompts)


def has_page(page):
    return page in languages.list_pages()


def lead_to_english(text, folder):
    """Make links lead to the English site where the Chinese one has no such page."""

    def replace(link):
        page = folder + link["page"]
        if has_page(page):
            return link[0]
        # MyST takes an address without a scheme for a page of this site.
        address = f"{'../' * folder.count('/')}{ENGLISH}{page}.html{link['rest'] or ''}"
        return f'<a href="{address}">{link["words"]}</a>'

    return LINK.sub(replace, text)


def lead_dots_to_english(cell):
    """Make links in outputs lead to the English site where the Chinese one has no such
    page.
    """
    for output in cell["outputs"]:
        if page := output.get("data", {}).get("text/html"):
            output["data"]["text/html"] = re.sub(
                r'(?<=href=")step\d\d(?=\.html")',
                lambda name: (
                    name[0]
                    if has_page(f"lessons/{name[0]}")
                    else f"../../lessons/{name[0]}"
                ),
                page,
            )


def switch(app, page, template, context, doctree):
    languages.lead_to_other(context, page, ENGLISH, "en", "English")


def setup(app):
    app.connect("config-inited", lambda *_: write())
    app.connect("html-page-context", switch)
    app.connect("html-page-context", SITE["level_of_captions"], priority=900)
