"""The learner's language, and the course tool's own messages in it.

The tool's code has its messages in English only. If a language is set, the string
literals of each module are replaced when it is imported, before it is compiled. This
needs only the standard library, because start.py does it before anything is installed.
"""

import json
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

from .catalogues import CODE, LOCALE, TOOL, look_up, update
from .literals import find_literals, replace_literals

VARIABLE = "COURSE_LANGUAGE"
OPTION = "--language"
ENGLISH = "en"
ROOT = LOCALE.parents[1]
FOLDER = ROOT / "my-course"
# In the learner's folder; holds the language, among other things.
STAMP = ".course.json"
LANGUAGE = "language"
COURSE = f"{__package__.removesuffix('.translation')}."
PLAYER = "dezero_lite.player."
LAUNCHER = "launcher"
# No learner meets the messages of these.
INTERNAL = (
    "classroom",
    "mutating",
    "translation",
    "builder",
    "new_lesson",
    "slides",
    "drawing",
)


def get_language():
    """Return the learner's language, such as zh_CN; None for English."""
    if VARIABLE in os.environ:
        name = os.environ[VARIABLE]
        return list_languages().get(name, name) or None
    stamps = map(_read_stamp, (Path.cwd(), FOLDER))
    return next((stamp[LANGUAGE] for stamp in stamps if LANGUAGE in stamp), None)


def list_languages():
    """Return the languages of the course: a dict from an option such as zh to the name
    of its catalogues.
    """
    languages: dict[str, str | None] = {ENGLISH: None}
    for path in sorted(LOCALE.glob("*/")):
        languages[path.name.partition("_")[0]] = path.name
    return languages


def choose_language(arguments):
    """Take the option ``--language zh`` from the launcher's arguments, and keep the
    choice in the learner's folder; return the other arguments.
    """
    arguments, languages = list(arguments), list_languages()
    options = [argument.partition("=")[0] for argument in arguments]
    # Another program's options are its own.
    if OPTION in options and arguments[0] not in ("run", "test"):
        position = options.index(OPTION)
        _, given, name = arguments.pop(position).partition("=")
        if not given:
            name = "".join(arguments[position : position + 1])
            del arguments[position : position + 1]
        if name not in languages:
            sys.exit(f"{OPTION} takes one of {', '.join(languages)}, not {name!r}.")
        _keep(languages[name])
        os.environ.pop(VARIABLE, None)  # in a terminal of JupyterLab, the old choice
    if language := get_language():
        os.environ[VARIABLE] = language
    install()
    return arguments


def translate(text):
    """Return a text of the tool in the learner's language, such as a row's name."""
    language = get_language()
    return (language and look_up(language, TOOL, text, CODE)) or text


def join_sentences(*sentences):
    """Join sentences; after a Chinese one, there is no space."""
    return " ".join(sentences).replace("。 ", "。")


def _read_stamp(folder):
    """Read a folder's stamp; an empty dict if it is missing or damaged."""
    try:
        return dict(json.loads((folder / STAMP).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _keep(language):
    stamp = json.dumps(_read_stamp(FOLDER) | {LANGUAGE: language}, indent=1)
    try:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / STAMP).write_text(stamp, "utf-8")
    except OSError as error:
        sys.exit(f"The language cannot be kept in {FOLDER}: {error}.")


def install():
    """From now on, translate the modules of the course tool, and the launcher, if the
    learner has chosen a language.
    """
    if language := get_language():
        sys.meta_path.insert(0, _Finder(language))


class _Finder:
    def __init__(self, language):
        self.language = language

    def find_spec(self, name, path, target=None):
        if name != LAUNCHER and not name.startswith((COURSE, PLAYER)):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(self.language, spec.loader)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, language, loader):
        super().__init__(loader.name, loader.path)
        self.language = language

    def path_stats(self, path):
        raise OSError("the files of bytecode hold the English messages")

    def source_to_code(self, data, path, **options):  # type: ignore[override]
        def find(unit):
            return look_up(self.language, TOOL, unit, CODE) or unit

        code = replace_literals(data.decode(), find, keeps_lines=True)
        return super().source_to_code(code.encode(), path, **options)


def update_catalogue(language):
    """Bring the catalogue of the course tool's messages up to date."""
    from ..capabilities import CAPABILITIES

    units: dict[str, str] = {}
    for row in CAPABILITIES:
        units |= dict.fromkeys((row.name, row.idea), "capabilities.py")
    paths = [ROOT / "launcher.py", *sorted(ROOT.glob("steps/course/**/*.py"))]
    for path in [*paths, *sorted(ROOT.glob("dezero_lite/player/*.py"))]:
        if not {path.stem, path.parent.name}.intersection(INTERNAL):
            for _, unit in find_literals(path.read_text(encoding="utf-8")):
                units.setdefault(unit, path.name)
    update(language, TOOL, [(unit, CODE, name) for unit, name in units.items()])
