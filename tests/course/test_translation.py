"""The course in other languages."""

import copy
import json
import re
import subprocess
import sys

import pytest

from steps.course import builder, overview, student_copies
from steps.course.lessons import MAP, ROOT, CourseError, notebook_path
from steps.course.mutating import planted
from steps.course.mutating.fork_pool import run_variants
from steps.course.translation import catalogues, notebooks, pages, review, tool
from steps.course.translation.catalogues import CODE
from steps.course.translation.literals import find_literals, replace_literals
from steps.course.translation.markdown import PARSER, replace_units
from steps.course.workshop import notebook

LANGUAGE = "zh_CN"


# --- Markdown -------------------------------------------------------------------------

TEXT = """\
# A title

Some *words* over
two lines with `code`, $x$ and a [link](step08.ipynb).

- an item
- another

  1. nested

| name | what it does |
| :--- | :--- |
| `f` | it may \\| divide |

<details class="hint"><summary>Hint 1</summary>

Inside.

</details>

$$x$$

`only code`
"""


def test_the_units_of_a_text_are_its_blocks():
    units = []
    replace_units(TEXT, lambda unit: units.append(unit) or unit)
    assert units == [
        "A title",
        "Some *words* over two lines with `code`, $x$ and a [link](step08.ipynb).",
        "an item",
        "another",
        "nested",
        "name",
        "what it does",
        "it may | divide",
        "Inside.",
        "Hint 1",
    ]


def test_only_units_are_replaced():
    text = replace_units(TEXT, lambda unit: f"<{unit.split()[0]}>")
    assert "# <A>\n\n<Some>\n\n- <an>\n- <another>\n\n  1. <nested>" in text
    assert "| `f` | <it> |" in text
    assert "<summary><Hint></summary>" in text
    assert "\n$$x$$\n\n`only code`\n" in text


@pytest.mark.parametrize("number", [MAP, 1, 24, 57, 97])
def test_a_lesson_renders_the_same_when_taken_apart_and_joined(number):
    def render(text):
        return PARSER.render(text).split()

    for cell in builder.read_notebook(notebook_path(number)).cells:
        if cell.cell_type == "markdown":
            assert render(replace_units(cell.source, str)) == render(cell.source)


# --- String literals ------------------------------------------------------------------

FOUND = {
    'raise ValueError("needs an array")': ["needs an array"],
    'assert x, f"x is {x:.3f}, not {y}"': ["x is {x:.3f}, not {y}"],
    'ax.set(title="loss", color="red")': ["loss"],
    'ax.set_xlabel("time")': ["time"],
    '"not a docstring here"; x = "two words"': ["two words"],
    'x == "two words"': [],
    'x["two words"]': [],
    'ax.legend(loc="upper left")': [],
    're.compile("two words")': [],
    'x = {"two words": "more than one"}': ["more than one"],
    'for x, y in ((1, "loop"), (2, "C0")): ax.plot(x, label=y)': ["loop"],
    'for name in ("loop",): print(name)': [],
    'WORDS = {"a key": "one", "and": ": "}': ["one", ": "],
}


@pytest.mark.parametrize("code", FOUND)
def test_literals_that_a_person_reads(code):
    assert [unit for _, unit in find_literals(code)] == FOUND[code]


def test_a_translated_literal_keeps_its_fields():
    code = """\
print(f"x is {x[0]:.3f}", 'it says "no"')
assert y, (
    f"{x!r} "
    "is one"
)"""
    said = {
        "x is {x[0]:.3f}": "{x[0]:.3f} 是 x",
        'it says "no"': '它说 "不"\n',
        "{x!r} is one": "是 {x!r}",
    }
    names = {"x": [1.0], "y": False, "print": lambda *texts: printed.extend(texts)}
    printed: list[str] = []
    with pytest.raises(AssertionError, match=r"是 \[1.0\]$"):
        exec(replace_literals(code, said.get), names)
    assert printed == ["1.000 是 x", '它说 "不"\n']
    with pytest.raises(ValueError, match=r"needs the fields \{x!r\}"):
        replace_literals(code, lambda unit: unit.replace("{x!r}", "{y!r}"))


def test_lines_keep_their_numbers():
    code = 'x = """two more\nlines"""\nf("two"\n  " words", f"x is {x}"\n)\n'
    said = {"two more\nlines": "两\n行", "two words": "两个词"}
    kept = replace_literals(code, lambda unit: said.get(unit, unit), keeps_lines=True)
    assert kept == 'x = """两\n行"""\nf(("两个词"\n), f"x is {x}"\n)\n'


def test_the_chinese_readme_follows_the_english_one(monkeypatch):
    monkeypatch.undo()  # the real catalogues
    text = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    assert text == pages.translate_page("README.md", LANGUAGE)
    for language in ("README.md", "README.zh.md"):
        commands = re.findall("(?m)^    .*", (ROOT / language).read_text("utf-8"))
        assert commands[0] == "    python start.py"


# --- Catalogues -----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def locale(monkeypatch, tmp_path):
    """An empty folder for catalogues, and a learner who has chosen a language."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path / "locale")
    monkeypatch.setenv(tool.VARIABLE, LANGUAGE)
    return tmp_path / "locale" / LANGUAGE


def write(name, translations):
    """Write a catalogue from a dict of translations."""
    catalogues.path_of(LANGUAGE, name).unlink(missing_ok=True)
    keys = [key if isinstance(key, tuple) else (key, None) for key in translations]
    catalogues.update(LANGUAGE, name, [(*key, "step08-01") for key in keys])
    path = catalogues.path_of(LANGUAGE, name)
    text = path.read_text(encoding="utf-8")
    for (unit, _), translation in zip(keys, translations.values(), strict=True):
        quoted = json.dumps(unit, ensure_ascii=False)
        new = json.dumps(translation, ensure_ascii=False)
        text = text.replace(
            f'msgid {quoted}\nmsgstr ""', f"msgid {quoted}\nmsgstr {new}"
        )
    path.write_text(text, encoding="utf-8")


def test_a_changed_sentence_falls_back_to_english_and_is_counted():
    write("step08", {"A loop is enough.": "循环就够了。", "It stays.": "不变。"})
    assert catalogues.count(LANGUAGE, "step08") == (2, 2, 0)
    units = ["A loop is really enough.", "It stays.", "New."]
    catalogues.update(LANGUAGE, "step08", [(u, None, "step08-01") for u in units])
    found = [catalogues.look_up(LANGUAGE, "step08", unit) for unit in units]
    assert found == [None, "不变。", None]
    assert catalogues.count(LANGUAGE, "step08") == (3, 1, 1)


# --- Lessons --------------------------------------------------------------------------


@pytest.fixture
def translations():
    """Some translations for lesson 8, and for the texts that the tool composes."""
    title = overview.read_stages()[0].steps
    write("start", {title[7]: "七", title[8]: "八"})
    lesson = builder.assemble(8)
    (check,) = [cell for cell in lesson["cells"] if cell["id"] == "step08-26"]
    message = next(u for _, u in find_literals(check["source"]) if "{kept}" in u)
    write("step08", {(message, CODE): "没有清除：{kept}"})
    composed = {
        "Step {number}: {title}": "第 {number} 步：{title}",
        "**Time** {number} minutes": "**用时** {number} 分钟",
        "**Builds on** step {number}": "**基于**第 {number} 步",
        "before: [{number}. {title}]({file})": "上一步：[{number}. {title}]({file})",
        "Hint {number}": "提示 {number}",
        "The trap": "陷阱",
    }
    write("course", composed)
    return message


def test_a_translated_lesson_has_the_same_code(translations):
    lesson = builder.assemble(8)
    translator = notebooks.Translator(LANGUAGE, 8)
    cells = translator.translate_notebook(lesson)["cells"]
    text = "\n".join(cell["source"] for cell in cells)
    assert "# 第 8 步：八\n" in text
    assert "**用时** 34 分钟 · **基于**第 7 步 · **Changed**" in text
    assert "上一步：[7. 七](step07.ipynb)" in text
    assert "## 陷阱" in text
    assert "<summary>提示 1</summary>" in text
    assert "没有清除" in text
    kept = "id", "cell_type", "metadata"
    for ours, theirs in zip(lesson["cells"], cells, strict=True):
        assert all(ours[key] == theirs[key] for key in kept)
    assert len(translator.missing) > 50


def test_a_learners_copy_and_its_verdicts_are_translated(translations, tmp_path):
    from steps.course.classroom import answers

    copy = json.loads(student_copies.format_copy(8, tmp_path))
    text = "\n".join("".join(cell["source"]) for cell in copy["cells"])
    assert "# 第 8 步：八" in text
    assert "没有清除" in text
    answers.read_lesson.cache_clear()
    checks = [cell["source"] for cell in answers.read_lesson(8)[0]]
    answers.read_lesson.cache_clear()
    assert any("没有清除" in source for source in checks)


def test_a_cell_that_prints_other_numbers_is_found():
    lesson = builder.read_notebook(notebook_path(3))
    other = copy.deepcopy(lesson)
    assert notebooks.find_other_numbers(lesson, other) == ""
    with_outputs = (cell for cell in other["cells"] if cell.get("outputs"))
    cell = next(c for c in with_outputs if c["outputs"][0].get("text"))
    cell["outputs"][0]["text"] += "1\n"
    assert notebooks.find_other_numbers(lesson, other) == cell["id"]


def test_a_translation_that_changes_a_field_is_named(translations):
    write("step08", {(translations, CODE): "没有清除"})
    with pytest.raises(CourseError, match=r"step08-26: .* needs the fields \{kept\}"):
        notebooks.translate_for_learner(8, builder.assemble(8))


# --- Reviewing ------------------------------------------------------------------------

REVIEWED = {
    ("Take `f` and 3.", "取 `f` 和 3。"): [],
    ("Take `f`.", "取f。"): ["lost the code `f`", "put a space"],
    ("Take 3.", "取三。"): ["lost the number 3"],
    ("Three by three.", "3×3。"): [],
    ("A 0-dimensional `f`.", "零维的 `f`。"): [],
    ("x * b * x", "盒 * b * 盒"): [],
    ("See [it](step08.ipynb).", "见[它](step09.ipynb)。"): ["lost the link", "added"],
    ("A box.", "盒子,好。"): ["use a Chinese mark"],
    ("A box.", "盒子。 好"): ["put no space beside"],
    ("A *box*.", "*盒子*。"): ["put no emphasis"],
    ("A **box**.", "这是**盒子（box）**吗"): ["the bold is not rendered"],
}


@pytest.mark.parametrize(("english", "translation"), REVIEWED)
def test_what_a_translation_has_lost(english, translation):
    write("step08", {english: translation})
    complaints = review.list_complaints(LANGUAGE, "step08")
    expected = REVIEWED[english, translation]
    assert len(complaints) == len(expected), complaints
    for complaint, beginning in zip(complaints, expected, strict=True):
        assert complaint.startswith(beginning)


def test_the_glossary_is_followed(locale):
    write("step08", {"The gradient of a box.": "盒子的斜度。"})
    (locale / "glossary.md").write_text("| gradient | 梯度 / 导数 |\n")
    (complaint,) = review.list_complaints(LANGUAGE, "step08")
    assert complaint.startswith("the glossary has 梯度 or 导数 for gradient")


# --- The course tool ------------------------------------------------------------------


CHINESE = "[\u3400-\u9fff]"


@pytest.mark.parametrize("number", [1, 8])
def test_planted_failures_are_answered_in_chinese(monkeypatch, number):
    monkeypatch.undo()  # the real catalogues
    monkeypatch.setenv(tool.VARIABLE, LANGUAGE)
    first = iter([planted.plant])
    found = [*run_variants(number, lambda text: next(first, lambda _: {})(text))]
    assert len(found) > 50
    for _, name, failures, check in found:
        assert not planted.explain_fault(failures, check), name
        assert "Traceback" not in failures[check].text
        assert re.search(f"{CHINESE}|：", failures[check].text), name


def test_the_player_and_the_hints_speak_chinese():
    program = """import steps; from dezero_lite import as_variable as v
print(steps.play(v(2.0) * 3.0), steps.hint(8, 1), steps.hint(8, "Variable.backward"))"""
    command = [sys.executable, "-c", program]
    said = subprocess.check_output(command, cwd=ROOT, text=True, encoding="utf-8")
    assert len(lines := list(filter(None, said.splitlines()))) > 6
    assert all(re.search(CHINESE, line) for line in lines), said


def test_the_workshop_knows_the_cells_of_a_translated_lesson(translations):
    notebook.list_lesson_sources.cache_clear()
    sources = "\n".join(notebook.list_lesson_sources(8))
    notebook.list_lesson_sources.cache_clear()
    assert "没有清除" in sources
    assert "clear should also clear" in sources


def test_a_paragraph_that_the_workshop_ends_is_translated():
    write("step08", {"The code:": "代码："})
    assert notebooks.make_translate(8)("The code.") == "代码。"


def test_a_language_is_chosen_once(monkeypatch, tmp_path, locale):
    monkeypatch.delenv(tool.VARIABLE)
    monkeypatch.setattr(tool, "LOCALE", locale.parent)
    monkeypatch.setattr(tool, "FOLDER", tmp_path / "my-course")
    monkeypatch.setattr(tool.sys, "meta_path", [])
    locale.mkdir(parents=True)
    assert tool.get_language() is None
    others = tool.choose_language(["lab", "--language", "zh", "--port", "1"])
    assert others == ["lab", "--port", "1"]
    assert len(tool.sys.meta_path) == 1
    tool.choose_language(["--language=en"])
    assert tool.get_language() is None
    (tmp_path / "my-course" / tool.STAMP).write_text("{")
    assert tool.get_language() is None
    program = ["run", "program.py", "--language", "zh"]
    assert tool.choose_language(program) == program
    assert tool.get_language() is None
    monkeypatch.setenv(tool.VARIABLE, "zh")
    assert tool.get_language() == LANGUAGE
    monkeypatch.delenv(tool.VARIABLE)
    for wrong in (["--language"], ["--language", "fr"]):
        with pytest.raises(SystemExit, match="one of en, zh, not"):
            tool.choose_language(wrong)
    monkeypatch.setattr(tool, "FOLDER", tmp_path / "missing" / "my-course")
    with pytest.raises(SystemExit, match="The language cannot be kept in"):
        tool.choose_language(["--language", "zh"])
