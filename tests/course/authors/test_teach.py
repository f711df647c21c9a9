"""The lesson in docs/teach.md, from an empty folder: every command that it shows, and
its output.
"""

import json
import re

import pytest

from steps.course.commands import main
from steps.course.lessons import ROOT
from tests.course.test_classroom import written_into
from tests.course.test_classroom_course import solutions

PAGE = (ROOT / "docs" / "teach.md").read_text(encoding="utf-8")
COMMAND = r"```text\n\$ python start\.py (?:steps )?(.*)\n((?:.*\n)+?)```"
SHOWN = re.findall(COMMAND, PAGE)
ROSTER = re.search(r"```text\n(name,id,email\n(?:.*\n)+?)```", PAGE)[1]


def hand_in(folder):
    """Anna has solved everything, and Moodle has packed it; Ben has solved one
    exercise, and uses an undefined name.
    """
    for number in (1, 8):
        right = solutions(number)
        some = [right[0], f"todo\n{right[1]}"] if number == 1 else []
        name = f"step{number:02d}.ipynb"
        handed = (folder / "hand-out" / name).read_text(encoding="utf-8")
        anna = "Anna Miller_7_assignsubmission_file_"
        for student, texts in ((anna, right), ("ben", some)):
            place = folder / "submissions" / student
            place.mkdir(parents=True, exist_ok=True)
            notebook = written_into(json.loads(handed), texts)
            (place / name).write_text(json.dumps(notebook), encoding="utf-8")


def general(text, folder):
    """Return the output of a command, without the folder and time of this run."""
    return re.sub(r"in \d+ s", "in 9 s", text.replace(str(folder), "…"))


@pytest.mark.slow
def test_each_command_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    assert len(SHOWN) == 5
    for command, expected in SHOWN:
        assert main(command.split()) == 0, command
        said = general(capsys.readouterr().out, tmp_path).splitlines()
        # In this order; other output depends on the machine.
        places = [said.index(line) for line in expected.splitlines()]
        assert places == sorted(places), command
        if command.startswith("class release"):
            hand_in(tmp_path)
    pages = {path.name for path in (tmp_path / "feedback").iterdir()}
    assert pages == {"Anna Miller_7_assignsubmission_file_feedback.html", "Ben.html"}
