"""Write and run a package that a lesson has as a dict from file name to source code.

In that code, a line such as ``# step22: Mul mul`` is a placeholder for definitions of a
step.
"""

import importlib
import re
import sys
import tempfile
import traceback
from pathlib import Path

from .definitions import extract, read_texts
from .lessons import LESSONS

# The folder of the lesson; the workshop uses another one.
NAME = "my_framework"
# What a student may have overlooked, by words of the error.
ADVICE = {
    "circular": "Which import line points up, at its own file, or at no file?",
    "NameError": "Which import line should provide that name?",
    "ModuleNotFoundError": "Is the dot there, and does the file exist?",
    "ImportError": "Does that file define the name, or import it?",
    "TypeError: unsupported": "Does the front door import the file with the operators?",
}
WORDS = {"advice": "{}. {}", "place": "{}, at {}"}
ASKS = re.compile(r"^# (step\d+): (.+)$", re.MULTILINE)


def write(files, folder="."):
    """Write the files of the package; return their sorted paths."""
    package = Path(folder, NAME)
    package.mkdir(exist_ok=True)
    for name, text in files.items():
        (package / name).write_text(put_in(text), encoding="utf-8")
    # Python may have cached the contents of the folder from before.
    importlib.invalidate_caches()
    return sorted(package / name for name in files)


def put_in(text):
    """Replace the placeholders in a text with the code of their definitions."""

    def get_code(asked):
        path = LESSONS / f"{asked[1]}.py"
        names = asked[2].split()
        return f"\n{extract(path.read_text(encoding='utf-8'), names, path.name)}\n"

    return ASKS.sub(get_code, text).strip() + "\n"


def find_homes(definition, files):
    """List the files that contain a definition."""
    found = {name: read_texts(put_in(text)) for name, text in files.items()}
    return [name for name, texts in found.items() if definition in texts]


def try_out(program, files):
    """Run a program on a copy of the package that Python has not imported yet.

    Returns
    -------
    way : list of str
        The package's lines in the traceback.
    error : str
        The type and message of the error; empty if there is none.
    """
    known = _forget()
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        try:
            write(files, folder)
            exec(program, {})
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [(Path(frame.filename), frame.line) for frame in frames]
            way = [f"{p.name}:  {line}" for p, line in lines if p.parent.name == NAME]
            text = re.sub(r" \([^()]*\.py\)$", "", str(error))  # the path of the copy
            return way, f"{type(error).__name__}: {text}".removesuffix(": ")
        finally:
            sys.path.remove(folder)
            _forget()
            sys.modules.update(known)
    return [], ""


def check_program(program, files):
    """Check that a program runs on a student's files.

    Raises
    ------
    AssertionError
        If the program fails: with the error, the line of the package, and advice.
    """
    for name, text in files.items():
        kind = type(text).__name__
        assert isinstance(text, str), f"files[{name!r}] should be text, not a {kind}"
    way, error = try_out(program, files)
    said = WORDS["place"].format(error, way[-1]) if way else error
    for advice in [text for words, text in ADVICE.items() if words in error][:1]:
        said = WORDS["advice"].format(said, advice)
    assert not error, said


def _forget():
    """Remove the package from Python's imported modules; return the removed modules."""
    names = [name for name in sys.modules if name.partition(".")[0] == NAME]
    return {name: sys.modules.pop(name) for name in names}
