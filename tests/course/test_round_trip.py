"""Reads the archives of learning platforms, and writes the files that they import."""

import io
import json
import tracemalloc
import zipfile
from pathlib import PurePosixPath

import pytest

from steps.course.classroom import archives, gradebooks, submissions
from steps.course.classroom.archives import identify_owner
from steps.course.classroom.feedback import write_feedback
from steps.course.classroom.roster import Person, find_person, read_roster
from steps.course.classroom.submissions import Submission
from steps.course.commands import main
from steps.course.lessons import CourseError
from tests.course.test_classroom import RIGHT, TOTAL, TWICE, Class, table_in

CANVAS = "milleranna_LATE_12345_987654_step01-1.ipynb"
MOODLE = "Anna Miller_12345_assignsubmission_file_"


@pytest.fixture
def course(toy):
    return Class(toy)


@pytest.fixture
def handed(tmp_path):
    """Write files to a folder, and return what is read from it, by student."""
    folder = tmp_path / "handed in"

    def read(files, people=(), where=folder):
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        found = submissions.read_submissions(where, people)
        return {one.student: (sorted(one.notebooks), one.remarks) for one in found}

    read.folder = folder
    return read


def lesson(number):
    metadata = {"course": {"step": number}}
    return json.dumps({"metadata": metadata, "cells": []}).encode()


def zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


# --- What comes -----------------------------------------------------------------------


def test_a_file_says_whose_it_is():
    for path, *expected in (
        (CANVAS, "milleranna", "12345", "step01-1.ipynb"),
        (CANVAS.replace("_LATE", ""), "milleranna", "12345", "step01-1.ipynb"),
        ("LATE_anon_a1b2c_987654_step01.ipynb", "anon_a1b2c", "", "step01.ipynb"),
        (f"{MOODLE}/step01.ipynb", "Anna Miller", "", "step01.ipynb"),
        (f"{MOODLE[:-1]}/a/b.ipynb", "Anna Miller", "", "b.ipynb"),
        (f"{MOODLE}step_01.ipynb", "Anna Miller", "", "step_01.ipynb"),
        ("anna/step01.ipynb", "anna", "", "step01.ipynb"),
        ("anna.ipynb", "anna", "", "anna.ipynb"),
        ("Miller_Cleo_12345_file/x", "Miller_Cleo_12345_file", "", "x"),
        ("step01_2_anna.ipynb", "step01_2_anna", "", "step01_2_anna.ipynb"),
    ):
        owner, name = identify_owner(PurePosixPath(path), False)
        assert [owner.name, owner.canvas, name] == expected, path


def test_files_of_one_student_are_one_submission(handed):
    files = {
        CANVAS: lesson(1),
        "milleranna_12345_987655_step02.ipynb": lesson(2),
        "youngben_678_99_step01.ipynb": b"\xef\xbb\xbf" + lesson(1),
        "youngben_678_98_notes.pdf": b"%PDF",
        "Cleo Fox_3_assignsubmission_file_/step01.ipynb": lesson(1),
        "Cleo Fox_3_assignsubmission_onlinetext_/onlinetext.html": b"",
        "Cleo Fox_4_assignsubmission_file/step02.ipynb": lesson(2),
    }
    assert handed(files) == {
        "Cleo Fox (3)": ([1], []),
        "Cleo Fox (4)": ([2], []),
        "milleranna": ([1, 2], ["step01-1.ipynb was late"]),
        "youngben": ([1], ["notes.pdf is not a readable notebook"]),
    }


@pytest.mark.parametrize("top", ["", "all/"])
def test_a_zip_of_everything_and_zips_in_it_are_read(handed, top):
    mac = "Bo\u0308rn Ek_7_assignsubmission_file_/step01.ipynb"
    inside = {
        f"{top}{MOODLE}/work.zip": zipped({"deep/step01.ipynb": lesson(1)}),
        f"{top}{mac}": lesson(1),
        f"{top}.hidden/step01.ipynb": lesson(1),
        "__MACOSX/._x.ipynb": b"",
    }
    found = handed({"all.zip": zipped(inside)})
    assert found == {"Anna Miller": ([1], []), "Bo\u0308rn Ek": ([1], [])}
    assert handed({}, where=handed.folder / "all.zip") == found


def test_a_zip_of_one_student_of_a_platform_is_that_student_s(handed):
    inside = {f"{MOODLE}/week 1/step01.ipynb": lesson(1)}
    assert handed({"all.zip": zipped(inside)}) == {"Anna Miller": ([1], [])}


def test_what_was_handed_out_beside_the_lessons_is_nobody_s_work(handed):
    files = {"AGENTS.md": b"", "anna/AGENTS.md": b"", "anna/step01.ipynb": lesson(1)}
    assert handed(files) == {"anna": ([1], [])}


def test_zips_of_students_stay_apart(handed):
    one = zipped({"step01.ipynb": lesson(1), "more/step02.ipynb": lesson(2)})
    assert handed({"anna.zip": one}) == {"anna": ([1, 2], [])}
    found = handed({"ben.zip": one, "cleo/x.zip": one})
    assert found == dict.fromkeys(("anna", "ben", "cleo"), ([1, 2], []))


def test_a_name_in_a_zip_without_the_mark_of_utf_8_is_read(handed):
    plain = zipped({"Boern Ek/step01.ipynb": lesson(1), "b/step01.ipynb": lesson(1)})
    data = plain.replace(b"Boern", "Börn".encode())
    assert set(handed({"all.zip": data})) == {"Börn Ek", "b"}


def test_what_a_zip_pretends_is_not_believed(handed, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILE_SIZE", 1000)
    monkeypatch.setattr(submissions, "MAX_FILE_SIZE", 1000)
    monkeypatch.setattr(submissions, "MAX_TOTAL_SIZE", 5000)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 50)
    inner = zipped({"x.ipynb": lesson(1)})
    files = {
        "broken.zip": b"PK",
        "deep.zip": zipped({"a.zip": zipped({"b.zip": inner})}),
        "large.zip": zipped({"step01.ipynb": b" " * 1001}),
        "many.zip": zipped({f"{n}.ipynb": b"" for n in range(51)}),
        "much.zip": zipped({f"{n}.ipynb": b" " * 999 for n in range(6)}),
        "out.zip": zipped({"../../etc/step01.ipynb": lesson(1)}),
    }
    assert handed(files) == {
        "broken": ([], ["broken.zip is not a readable zip"]),
        "deep": ([], ["b.zip is nested in too many zips: not read"]),
        "large": ([], ["step01.ipynb is larger than 0 MB: not read"]),
        "many": ([], ["many.zip contains more than 50 files: not read"]),
        "much": ([], ["the submission exceeds 0 MB: not read"]),
        "out": ([1], []),
    }
    assert [path.name for path in handed.folder.parent.iterdir()] == ["handed in"]


def test_a_zip_that_lies_about_its_size_is_not_unpacked(handed):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("step01.ipynb", bytes(30_000_000))
    size, lie = ((n).to_bytes(4, "little") for n in (30_000_000, 10))
    tracemalloc.start()
    found = handed({"anna.zip": data.getvalue().replace(size, lie)})
    largest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {"anna": ([], ["step01.ipynb cannot be unpacked from its zip"])}
    assert largest < 10_000_000


# --- The roster -----------------------------------------------------------------------

ANNA = Person("Anna Maria Müller", "s1", "anna@school.org", "12345", "am", "A")


def test_rosters_of_three_kinds_are_read(tmp_path):
    for text in (
        "name,id,email,canvas id,login,section\n"
        "Anna Maria Müller,s1,anna@school.org,12345,am,A\n",
        "\ufeffLast name;First name;ID number;Email address;Canvas ID;Username;Section"
        "\nMüller;Anna Maria;s1;anna@school.org;12345;am;A\n",
        "Student,ID,SIS User ID,SIS Login ID,Section,Email\n"
        "    Points Possible,,,,,\nAnna Maria Müller,12345,s1,am,A,anna@school.org\n",
    ):
        path = tmp_path / "roster.csv"
        path.write_text(text, encoding="utf-8")
        assert read_roster(path) == [ANNA]
    for text in ("", "Anna\nBen\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CourseError, match="name,id,email"):
            read_roster(path)


def test_whoever_fits_one_person_is_that_person():
    people = [ANNA, Person("Ben Young"), Person("Ben Young", "s2")]
    for name in ("mullerannamaria", "Anna Maria Mu\u0308ller", "müller, anna maria"):
        assert find_person(people, name) == ANNA
    assert find_person(people, "s1") == find_person(people, "anna") == ANNA
    assert find_person(people, "somebody", "12345") == ANNA
    assert find_person(people, "s2") == people[2]
    for name in ("Ben Young", "Maria Anna Müller", "Anna Müller", "", "…"):
        assert find_person(people, name) is None


def test_the_roster_names_students_and_who_is_missing(handed):
    files = {
        "mullerannamaria_12345_1_step01.ipynb": lesson(1),
        "anna@school.org/step02.ipynb": lesson(2),
        "zoe.ipynb": lesson(1),
    }
    found = handed(files, [ANNA, Person("Ben Young")])
    lessons = {name: steps for name, (steps, _) in found.items()}
    assert lessons == {"Anna Maria Müller": [1, 2], "Ben Young": [], "zoe": [1]}


# --- What goes back -------------------------------------------------------------------


@pytest.fixture
def graded(course):
    """Two students who handed in, one of them in the roster, and one who did not."""
    anna, ben = identify_owner(PurePosixPath(CANVAS), False)[0], Person("Ben")
    zoe = identify_owner(PurePosixPath("<b>zoe<b>.ipynb"), False)[0]
    wrong = "twice(2) is <script>alert(1)</script>\nand more"
    outcomes = {(1, 1): RIGHT, (1, 2): wrong, (2, 1): RIGHT, (2, 2): RIGHT}
    none = dict.fromkeys(outcomes, "nothing was written")
    return [
        Submission(ANNA.name, person=ANNA, owner=anna, verdicts=outcomes),
        Submission("Ben", person=ben, verdicts=none),
        Submission("<b>zoe<b>", owner=zoe, verdicts=none),
    ]


def test_moodle_gets_those_whom_it_knows(graded):
    rows = gradebooks.make_moodle_rows([1, 2], graded, (3, 5))
    assert rows == [
        ["Full name", "ID number", "Email address", "Step 1", "Step 2"],
        [ANNA.name, "s1", "anna@school.org", 3, 8],
    ]
    with pytest.raises(CourseError, match="--roster"):
        gradebooks.require_roster([Person("Ben")])


def test_canvas_gets_its_header_the_points_possible_and_its_numbers(graded):
    rows = gradebooks.make_canvas_rows([1, 2], graded, (3, 5))
    # As Canvas checks it: Student first, ID second, Section last before the points.
    who = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert rows == [
        [*who, "Step 1", "Step 2"],
        ["Points Possible", "", "", "", "", 8, 8],
        [ANNA.name, "12345", "s1", "am", "A", 3, 8],
        ["<b>zoe<b>", "", "", "", "", 0, 0],
    ]


def test_a_page_says_what_is_right_and_its_names_are_text(graded, tmp_path):
    folder = tmp_path / "feedback"
    assert write_feedback(folder, graded, (3, 5)) is None
    names = {path.name for path in folder.iterdir()}
    assert names == {"_b_zoe_b_.html", "milleranna_LATE_12345_987654_feedback.html"}
    (page,) = (p.read_text(encoding="utf-8") for p in folder.glob("mill*"))
    assert "11 of 16 points" in page
    assert "Exercise 1: twice <span>3 of 3" in page
    script = "&lt;script&gt;alert(1)&lt;/script&gt;"
    assert f"Not yet: twice(2) is {script}\nand more" in page
    assert "<script" not in page
    assert "2 * x" not in page  # the solution
    assert "<b>" not in (folder / "_b_zoe_b_.html").read_text(encoding="utf-8")
    assert write_feedback(folder, graded, (3, 5)).name == "feedback-old1"


def test_pages_keep_to_their_folder_and_to_one_student(graded, tmp_path):
    for one, name in zip(graded, ("../../x", "", "../../x"), strict=True):
        one.owner = identify_owner(PurePosixPath("anna"), True)[0]
        one.student = name
    write_feedback(tmp_path / "a" / "b", graded, (3, 5))
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    assert names == {"a/b/_.._x.html", "a/b/_.html", "a/b/_.._x-2.html"}


def test_a_class_goes_round(course, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    course.hands_in("Anna Ek_1_assignsubmission_file_", course.answered(TWICE, TOTAL))
    course.hands_in("Zoe Ek_2_assignsubmission_file_", course.copy())
    roster = tmp_path / "roster.csv"
    roster.write_text("name,id,email\nAnna Ek,1,anna@x.org\nBen Ek,2,ben@x.org\n")
    grade = ["class", "grade", str(course.folder), "--seconds", "60"]
    assert main([*grade, "--for", "moodle"]) == 1
    told = [*grade, "--roster", str(roster), "--feedback"]
    assert main([*told, "--for", "moodle"]) == 0
    said = capsys.readouterr().out
    assert "No submission from: Ben Ek.\nNot in the roster: Zoe Ek.\n" in said
    assert (tmp_path / "points.csv").read_bytes().startswith(b"Full name")
    assert table_in("points.csv")[1:] == [["Anna Ek", "1", "anna@x.org", "8"]]
    pages = {path.name for path in (tmp_path / "feedback").iterdir()}
    end = "_assignsubmission_file_feedback.html"
    assert pages == {f"Anna Ek_1{end}", f"Zoe Ek_2{end}"}
    (tmp_path / "feedback" / "mine.txt").touch()
    assert main(told) == 1
    assert "contains other files" in capsys.readouterr().err
