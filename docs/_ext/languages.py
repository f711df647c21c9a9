"""Links from a page to the same page in the other language."""

from functools import cache

from steps.course import builder, lessons
from steps.course.translation import catalogues, notebooks, pages

CHINESE = "zh_CN"
# Where the Chinese site is in the English one.
FOLDER = "zh"
LEARN = "docs/learn.md"


@cache
def translate(number):
    """Return a lesson in Chinese, not yet executed; None if some of it is missing."""
    translator = notebooks.Translator(CHINESE, number)
    notebook = translator.translate_notebook(builder.assemble(number))
    return None if translator.missing else notebook


@cache
def list_pages():
    """List the pages that both sites have."""
    stems = [lessons.stem(n) for n in lessons.with_map() if _may_be_complete(n)]
    found = ["index", *(f"lessons/{stem}" for stem in stems)]
    total, done, _ = catalogues.count(CHINESE, pages.name_catalogue(LEARN))
    return [*found, "learn"] if 0 < total == done else found


def _may_be_complete(number):
    total, done, _ = catalogues.count(CHINESE, lessons.stem(number))
    return 0 < total == done and translate(number) is not None


def lead_to_other(context, page, prefix, code, words):
    """Add the links to a page's context.

    Parameters
    ----------
    prefix : str
        The way from the root of this site to the other.
    code, words : str
        The other language's code, and its name in that language.
    """
    if page not in list_pages():
        return
    address = f"{'../' * page.count('/')}{prefix}{page}.html"
    link = f'<link rel="alternate" hreflang="{code}" href="{address}">'
    context["metatags"] = context.get("metatags", "") + link
    switch = f'<p class="where"><a href="{address}" hreflang="{code}">{words}</a></p>'
    context["body"] = context["body"].replace("</h1>", f"</h1>\n{switch}", 1)
