"""The course as a learner meets it: ``python start.py``, and JupyterLab in a browser.

For each stage, a lesson is opened from the map, runs, and leads to the next one; a
workshop notebook is solved by typing.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from steps.course import overview
from steps.course.lessons import ROOT, notebook_path, numbers, stem
from steps.course.student_copies import make_kernel_metadata
from tests.course.servers import free_ports, serving
from tests.course.test_listings_in_a_browser import CONTRASTS, weak
from tests.course.test_start import load
from tests.support.browser import MINUTE, NEEDED, expect, launched
from tests.support.lesson_checks import code_cells
from tests.support.needs import needs

pytestmark = [
    *NEEDED,
    needs("jupyterlab"),
    pytest.mark.skipif(
        os.name == "nt" or sys.prefix == sys.base_prefix,
        reason="there is no environment to lend to a second checkout",
    ),
]
# Busy machines start a kernel slowly.
PATIENT = "--MappingKernelManager.kernel_info_timeout=600"
# Fast lessons with varied output, which compare no times if the stage has such a
# lesson; for stages not listed here, the first lesson.
QUICK = [7, 16, 26, 38, 53, 62, 80, 91]
LESSONS = [
    next((n for n in QUICK if n in stage.steps), min(stage.steps))
    for stage in overview.read_stages()
    if set(stage.steps) <= set(numbers())
]
NOT_COPIED = [".git", ".venv", "my-course", "_build", "__pycache__", ".*_cache"]


# --- python start.py ------------------------------------------------------------------


def lent_environment(course):
    """Install what the first start would install from the environment of these tests:
    its folders, and the stamps that mark it as complete.
    """
    launcher = load(course)
    launcher.VENV.mkdir()
    for path in filter(Path.is_dir, Path(sys.prefix).iterdir()):
        (launcher.VENV / path.name).symlink_to(path)
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", launcher.VENV)
    launcher.remember("python", launcher.fingerprint())
    pins = launcher.digest(["pyproject.toml", "constraints.txt"])
    launcher.remember("packages", pins)


def settings_of_its_own(home):
    """Ignore the settings of the user who runs the tests, and render whole notebooks,
    not only the visible part.
    """
    places = {
        f"JUPYTER_{what}_DIR": str(home / what.lower())
        for what in ("CONFIG", "DATA", "RUNTIME")
    }
    user = home / "config" / "lab" / "user-settings" / "@jupyterlab"
    path = user / "notebook-extension" / "tracker.jupyterlab-settings"
    path.parent.mkdir(parents=True)
    path.write_text('{"windowingMode": "none"}', encoding="utf-8")
    return places


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Create a checkout in which ``python start.py`` was run, and return the address
    that it printed.
    """
    home = tmp_path_factory.mktemp("learner")
    course = home / "course"
    shutil.copytree(ROOT, course, ignore=shutil.ignore_patterns(*NOT_COPIED))
    lent_environment(course)
    variables = settings_of_its_own(home) | {"PYTHONPATH": str(course)}
    command = [sys.executable, str(course / "start.py")]
    options = ["--no-browser", "--port", str(free_ports(1)[0]), PATIENT]
    says = r"http://localhost:\d+/lab/\S+"
    with serving([*command, *options], home, says, **variables) as (server, found, log):
        it = SimpleNamespace(address=found, command=command)
        it.folder, it.environment = course / "my-course", os.environ | variables
        it.log = log
        yield it
    # Jupyter ended each kernel first.
    assert server.returncode == 130


@pytest.fixture(scope="module")
def page(started):
    with launched() as chromium:
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(2 * MINUTE)
        page.goto(started.address)
        yield page


# --- what a learner does --------------------------------------------------------------


def panel(page):
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


def open_map(page, started):
    page.goto(f"{started.address}&reset")
    panel(page).get_by_role("heading", name="The map", exact=False).first.wait_for()


def follow(page, number):
    """Click the link to a lesson on the page in front."""
    link = panel(page).locator(f'a[href*="{stem(number)}.ipynb"]').first
    link.scroll_into_view_if_needed()
    link.click()
    title = panel(page).locator("h1").first
    expect(title).to_contain_text(f"Step {number}:", timeout=2 * MINUTE)


def in_front(page, path):
    """Click into a notebook, so that the menu applies to it and not to the previous
    one.
    """
    panel(page).locator("h1").first.click()
    expect(page.locator(".lm-TabBar-tab.jp-mod-current")).to_contain_text(path.name)


def choose(page, menu, item):
    page.locator(f'.lm-MenuBar-itemLabel:text-is("{menu}")').click()
    page.locator(f'.lm-Menu-itemLabel:text-is("{item}")').click()


# Return the execution numbers of the cells; waiting cells have none.
PROMPTS = """() => [...document.querySelectorAll(
  ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt"
)].map(prompt => parseInt(prompt.textContent.slice(1)))"""


STARTED = """last => [...document.querySelectorAll(
  ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt"
)].some(prompt => prompt.textContent.includes("*")
        || parseInt(prompt.textContent.slice(1)) > last)"""


def run_all(page, path):
    """Run a notebook from the menu, save it, and read the saved file."""
    in_front(page, path)
    indicator = panel(page).locator(".jp-Notebook-ExecutionIndicator")
    expect(indicator).to_have_attribute("data-status", "idle", timeout=2 * MINUTE)
    last = max((n for n in page.evaluate(PROMPTS) if n == n and n), default=0)
    choose(page, "Run", "Run All Cells")
    for _ in range(60):
        if page.evaluate(STARTED, last):
            break
        page.wait_for_timeout(500)
    else:  # lost, because a kernel was starting
        choose(page, "Run", "Run All Cells")
    # After an error, the cells that follow never get a number.
    page.wait_for_function(f"() => !({STARTED})(Infinity)", timeout=8 * MINUTE)
    # The last cell shows its number while it is still running.
    expect(indicator).to_have_attribute("data-status", "idle", timeout=2 * MINUTE)
    return saved(page, path)


def saved(page, path):
    before = path.stat().st_mtime_ns
    choose(page, "File", "Save Notebook")
    for _ in range(240):
        page.wait_for_timeout(250)
        if path.stat().st_mtime_ns != before:
            with contextlib.suppress(ValueError):  # partly written
                return json.loads(path.read_text(encoding="utf-8"))
    pytest.fail(f"{path.name} was not saved")


def kinds_of_output(notebook):
    """Count the outputs of each kind, by cell id."""
    kinds = lambda output: output.get("data", [output["output_type"]])
    cells = code_cells(notebook)
    return {c["id"]: Counter(chain(*map(kinds, c["outputs"]))) for c in cells}


def unsolved(notebook):
    tags = {c["id"]: c["metadata"].get("tags", []) for c in notebook["cells"]}
    return {name for name in tags if "raises-exception" in tags[name]}


# --- the lessons ----------------------------------------------------------------------


def test_the_address_leads_to_the_map(page, started):
    assert "/lab/tree/my-course/start.ipynb?token=" in started.address
    open_map(page, started)
    shown = panel(page).inner_text()
    assert all(stage.title in shown for stage in overview.read_stages())


def test_the_first_minute_is_calm(page, started):
    open_map(page, started)
    # By now the kernel has reported its state.
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    page.wait_for_timeout(2_000)
    assert page.locator(".jp-mod-dirty").count() == 0
    follow(page, 1)
    page.wait_for_timeout(2_000)
    # Autosave would save it after a while.
    assert page.locator(".jp-mod-dirty").count() == 0
    assert page.locator(".Toastify__toast").all_inner_texts() == []
    assert "without encryption" not in started.log.read_text("utf-8")


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_is_reached_from_the_map_runs_and_leads_on(page, started, number):
    open_map(page, started)
    follow(page, number)
    notebook = run_all(page, started.folder / f"{stem(number)}.ipynb")
    has, may_fail = kinds_of_output(notebook), unsolved(notebook)
    assert [name for name in has if has[name]["error"] and name not in may_fail] == []
    pictures_are_there(page, number, notebook)
    if "<iframe" in json.dumps(notebook):
        player_moves(page)
    if number == 16:
        difference_shows(page)
    if number + 1 in numbers():
        follow(page, number + 1)


def pictures_are_there(page, number, notebook):
    built = json.loads(notebook_path(number).read_text(encoding="utf-8"))
    had, has = kinds_of_output(built), kinds_of_output(notebook)
    pictures = {name for name in has if had[name]["image/png"]} - unsolved(notebook)
    assert pictures
    assert [name for name in pictures if not has[name]["image/png"]] == []
    images = panel(page).locator(".jp-OutputArea img")
    # Some outputs appear shortly after the cell gets its number.
    drawn = sum(kinds["image/png"] for kinds in has.values())
    expect(images).to_have_count(drawn)
    widths = images.evaluate_all("all => all.map(image => image.naturalWidth)")
    assert min(widths) > 50


def player_moves(page):
    frame = panel(page).locator("iframe").first
    frame.scroll_into_view_if_needed()
    say = frame.content_frame.locator("#say")
    expect(say).to_contain_text("Forward")
    before = say.text_content()
    frame.content_frame.get_by_role("button", name="Next").click()
    expect(say).not_to_have_text(before)


def test_the_lessons_here_have_a_player_and_a_difference():
    books = [notebook_path(number).read_text(encoding="utf-8") for number in LESSONS]
    assert sum("<iframe" in book for book in books) >= 2
    assert 16 in LESSONS


def difference_shows(page):
    shown = panel(page).locator(".jp-RenderedHTMLCommon", has_text="topological_orders")
    expect(shown.filter(has_text="removed").first).to_be_visible()
    added = panel(page).get_by_text("+import heapq")
    added.scroll_into_view_if_needed()
    expect(added).to_be_visible()


def made(source, *tags):
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})


SHOW = "from IPython.display import HTML\nHTML(test_listings_in_a_browser.shown())"
CHECK = "assert 1 == 2, 'look again at c'\nassert 3, 'three'"


def test_code_and_the_sentence_of_a_check_can_be_read_in_light_and_dark(page, started):
    cells = [nbformat.v4.new_markdown_cell("# Colours")]
    cells += [made("import steps\nfrom tests.course import test_listings_in_a_browser")]
    cells += [made(SHOW), made(CHECK, "check", "raises-exception"), made("%tb")]
    path = started.folder / "colours.ipynb"
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=make_kernel_metadata())
    nbformat.write(notebook, path)
    page.goto(f"{started.address.replace('start.ipynb', path.name)}&reset")
    panel(page).locator("h1").first.wait_for()
    ran = code_cells(run_all(page, path))
    (failed,) = ran[2]["outputs"]
    assert (failed["ename"], failed["evalue"]) == ("AssertionError", "look again at c")
    assert failed["traceback"] == ["\x1b[1mlook again at c\x1b[0m"]
    assert "three" in json.dumps(ran[3]["outputs"])
    says = page.locator(".jp-OutputArea-output", has_text="look again at c").first
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        choose(page, "Settings", "Theme")
        page.locator(f'.lm-Menu-itemLabel:text-is("{theme}")').click()
        body = expect(page.locator("body"))
        body.to_have_attribute("data-jp-theme-name", theme)
        page.wait_for_timeout(1_000)
        assert weak(page) == []
        assert says.inner_text().strip() == "look again at c"
        errors = ".jp-OutputArea-output[data-mime-type$=stderr] pre"
        (words, contrast, _), *_ = page.evaluate(CONTRASTS, errors)
        assert words == "look again at c"
        assert contrast > 4.5


# --- the workshop ---------------------------------------------------------------------


def write(page, cell, place, *lines, instead_of=1):
    """Replace lines with typed ones; the first of them contains a certain text."""
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-line", has_text=place).click()
    page.keyboard.press("Home")
    for _ in range(instead_of - 1):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+End")
    for i, line in enumerate(lines):
        if i:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def cell_with(page, text):
    return panel(page).locator(".jp-CodeCell").filter(has_text=text).first


def test_a_workshop_notebook_is_solved_by_typing(page, started):
    # As in JupyterLab's terminal, which is already open.
    environment = started.environment | {"JUPYTER_SERVER_URL": started.address}
    command = [*started.command, "workshop", "2"]
    subprocess.run(command, env=environment, check=True)
    address = started.address.replace("start.ipynb", "workshop/step02.ipynb")
    page.goto(f"{address}&reset")
    path = started.folder / "workshop" / "step02.ipynb"
    expect(panel(page).locator("h1").first).to_contain_text("Step 2:")
    call, square = (cell_with(page, f"class {n}") for n in ("Function:", "Square("))
    verdict = cell_with(page, "steps.judge(2)").locator(".jp-OutputArea")

    box = ["x = input.data", "return Variable(self.forward(x))"]
    write(page, call, "TODO", *box, instead_of=2)
    write(page, square, "TODO", "return x * 3", instead_of=2)
    run_all(page, path)
    expect(verdict).to_contain_text("Step 2 is not right yet")

    write(page, square, "return x * 3", "return x**2")
    notebook = run_all(page, path)
    expect(verdict).to_contain_text("Step 2 is right")
    written = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert [text for text in written if "return x**2" in text and "TODO" not in text]
