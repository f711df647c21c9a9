"""The notebook of every step of the workshop, as it is made from the lesson."""

import re

import nbformat
import pytest

from steps.course.module_text import ModuleText
from steps.course.workshop.notebook import ONE_WAY, list_judging_cells
from steps.course.workshop.package import FIRST, LAST
from steps.course.workshop.step import get_step, list_numbers, read_code
from tests.course.learner import Learner
from tests.support.lesson_checks import code_cells, source


@pytest.fixture(scope="module")
def laid(tmp_path_factory):
    """A learner who opens the notebook of every step, and the notebooks."""
    learner = Learner(tmp_path_factory.mktemp("workshop"))
    return learner, {number: learner.open(number) for number in list_numbers()}


def test_a_notebook_asks_for_all_that_the_step_changes_and_gives_none_of_it_away(laid):
    learner, notebooks = laid
    wrong = []
    for number, notebook in notebooks.items():
        nbformat.validate(nbformat.from_dict(notebook))
        cells = [source(cell) for cell in code_cells(notebook)]
        step = get_step(number)
        stubs = [cell for cell in cells if "TODO step" in cell]
        asked = [{*re.split(r"\W", stub)} for stub in stubs]
        for name in step.to_write:
            if not any({*name.split(".")} <= words for words in asked):
                wrong.append(f"{number}: no place for {name}")
        attempt = learner.writes(number, *cells)
        there = {*attempt.missing, *attempt.unchanged}
        open_parts = there | {name.partition(".")[0] for name in there}
        given_away = set(step.to_write) - open_parts
        wrong += [f"{number}: {name} is given away" for name in given_away]
        shows = r"%load|steps\.diff\("
        asked_for = "|".join(step.to_write) or "nothing"
        if number > LAST:  # other content of the module may be shown
            shows = rf"(%load|steps\.source).*\b({asked_for})\b|steps\.diff\("
        if step.is_package:  # the notebook loads other names of the lesson
            shows = rf"steps\.source\(({asked_for})\)"
        if re.search(shows, "\n".join(cells).partition("steps.judge(")[0]):
            wrong.append(f"{number}: the lesson's code is shown")
        if not cells[0].endswith(f"steps.workshop({number})"):
            wrong.append(f"{number}: does not begin with steps.workshop")
        if max(map(len, "\n".join(stubs).splitlines()), default=0) > 88:
            wrong.append(f"{number}: a line of a stub is too long")
    assert not wrong, "\n".join(wrong)


def test_the_lesson_s_own_code_counts_when_it_is_typed_in(learner):
    wrong = []
    for number in [n for n in list_numbers() if n < FIRST]:
        attempt = learner.writes(number, read_code(number))
        lesson, there = get_step(number).definitions, attempt.module.definitions
        exec(attempt.module.format(), {})
        changed = [
            n for n, part in lesson.items() if not part.has_same_code(there.get(n))
        ]
        others = set(ModuleText.read(read_code(number)).definitions) ^ set(there)
        found = [attempt.missing, attempt.broken, changed, others]
        wrong += [f"{number}: {names}" for names in found if names]
    assert not wrong, "\n".join(wrong)


def test_the_words_fit_what_is_left_and_run_all_goes_on_to_the_judge(laid):
    wrong = []
    for number, notebook in laid[1].items():
        texts = [source(c) for c in notebook["cells"] if c["cell_type"] == "markdown"]
        (task,) = [text for text in texts if text.startswith("## Write it")]
        if said := re.search(r":\s*\n\n</details>|with a minus|steps\.diff", task):
            wrong.append(f"{number}: {said[0]}")
        links = set(re.findall(r"\]\(([^)]+)\.ipynb\)", "\n".join(texts)))
        if {link[:3] for link in links} != {"../"} or "../start" not in links:
            wrong.append(f"{number}: {links}")
        one = len(get_step(number).to_write) == 1
        if ("The cell below has a place for it" in task) != one:
            wrong.append(f"{number}: a place for one, or for each?")
        cells = code_cells(notebook)
        judge = list(map(source, cells)).index(f"steps.judge({number})")
        tried = [
            text for place, text in list_judging_cells(number) if "It works" in place
        ]
        judging = [
            c for c in cells[:judge] if ONE_WAY not in c["metadata"].get("tags", ())
        ]
        before = judging[-len(tried) :]
        if not tried or list(map(source, before)) != tried:
            wrong.append(f"{number}: the cells before are not those that judge")
        if any("raises-exception" not in c["metadata"]["tags"] for c in before):
            wrong.append(f"{number}: a cell before it ends Run All")
        places = " | ".join(place for place, _ in list_judging_cells(number))
        if re.search(r"Exercise|trap|The code,", places):
            wrong.append(f"{number}: too much judges: {places}")
    assert not wrong, "\n".join(wrong)
