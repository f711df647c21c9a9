"""Translate the course from the command line: ``python -m steps translate``."""

from pathlib import Path

from .. import builder
from ..classroom.class_command import add_command
from ..lessons import MAP, notebook_path, numbers, stem, with_map
from . import catalogues, notebooks, pages, review, tool
from .catalogues import COMPOSED, TOOL
from .notebooks import HINTS


def add_to(commands):
    """Add `translate` and its subcommands to the course tool."""
    text = "translate lessons: status, update, check, build"
    group = commands.add_parser("translate", help=text, description=text)
    verbs = group.add_subparsers(required=True, metavar="command")
    for name, run in (("status", status), ("update", update), ("check", check)):
        add = add_command(verbs, name, run)
        add("language", metavar="LANGUAGE", help="such as zh_CN")
        add("numbers", metavar="N", type=int, nargs="*", help="the steps; all")
    add = add_command(verbs, "build", build)
    add("language", metavar="LANGUAGE", help="such as zh_CN")
    add("folder", metavar="DIR", help="the folder to write to")
    add("numbers", metavar="N", type=int, nargs="*", help="the steps; all")


def status(options):
    """count what is translated, and what is out of date"""
    for name in _list_names(options):
        total, done, fuzzy = catalogues.count(options.language, name)
        late = f", {fuzzy} out of date" if fuzzy else ""
        print(f"{name:8} {done:4d} of {total:4d}{late}" if total else f"{name:8} none")


def update(options):
    """bring catalogues, and the translated README, up to date"""
    notebooks.update_catalogues(options.language, options.numbers or numbers())
    pages.update_pages(options.language)
    pages.write_readme(options.language)
    tool.update_catalogue(options.language)


def check(options):
    """list what a translation has lost or added"""
    found = 0
    for name in _list_names(options):
        for complaint in review.list_complaints(options.language, name):
            print(f"{name}: {complaint}")
            found += 1
    return bool(found)


def build(options):
    """write translated notebooks, with the English outputs, and translated pages"""
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number in options.numbers or with_map():
        path = notebook_path(number)
        translator = notebooks.Translator(options.language, number)
        notebook = translator.translate_notebook(builder.read_notebook(path))
        (folder / path.name).write_text(builder.serialize(notebook), encoding="utf-8")
        print(f"{path.name}: {len(translator.missing)} units stay English")
    for page in pages.PAGES:
        name = page.rpartition("/")[2]
        text = pages.translate_page(page, options.language)
        (folder / name).write_text(text, encoding="utf-8")


def _list_names(options):
    if options.numbers:
        return list(map(stem, options.numbers))
    shared = [COMPOSED, TOOL, HINTS, *map(pages.name_catalogue, pages.PAGES)]
    return [*shared, stem(MAP), *map(stem, numbers())]
