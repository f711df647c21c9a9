"""The course as a learner meets it: JupyterLab in a browser, with the learner's folder.

A lesson of each stage is reached from the map by its link, and run.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from types import SimpleNamespace

import pytest

from steps.course import overview
from steps.course.lessons import ROOT, numbers, stem

pytest.importorskip("jupyterlab")
playwright = pytest.importorskip(
    "playwright.sync_api", reason='not installed: pip install "dezero-lite[browser]"'
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None, reason="there is no Chromium or Chrome on the path"
    ),
]

MINUTE = 60_000
# Short lessons, one of each stage; those with a player among them.
LESSONS = [1, 16, 26, 38, 54, 65]
ENDED = """() => {
  const prompts = [...document.querySelectorAll(
    ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell .jp-InputArea-prompt")];
  return prompts.length > 3 && prompts.every(p => /^\\[\\d+\\]:$/.test(p.textContent));
}"""
PICTURES = """() => [...document.querySelectorAll(
  ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea img"
)].map(image => image.naturalWidth)"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab that shows a fresh folder of a learner's, and its address."""
    home = tmp_path_factory.mktemp("learner")
    subprocess.run(
        [sys.executable, "-m", "steps", "lay", home / "my-course"], cwd=ROOT, check=True
    )
    port = free_port()
    settings = [
        *["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"],
        *["--IdentityProvider.token=", f"--ServerApp.root_dir={home}"],
        "--LabApp.default_url=/lab/tree/my-course/start.ipynb",
    ]
    places = {
        f"JUPYTER_{what}_DIR": str(home / f".{what.lower()}")
        for what in ("CONFIG", "DATA", "RUNTIME")
    }
    # All of a notebook is on the page, not only what is in sight.
    tracker = home / ".config/lab/user-settings/@jupyterlab/notebook-extension"
    tracker.mkdir(parents=True)
    name = "tracker.jupyterlab-settings"
    (tracker / name).write_text('{"windowingMode": "none"}', encoding="utf-8")
    with open(home / "lab.log", "wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *settings],
            cwd=ROOT,
            env=os.environ | places | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail((home / "lab.log").read_text())
        yield SimpleNamespace(address=address, folder=home / "my-course")
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def page(lab):
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(2 * MINUTE)
        yield page
        browser.close()


def panel(page):
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")


def open_map(page, lab):
    page.goto(f"{lab.address}/lab/tree/my-course/start.ipynb?reset")
    panel(page).get_by_role("heading", name="The map", exact=False).first.wait_for()


def follow(page, number):
    """Click the link to a lesson, on the page that is in front."""
    link = panel(page).locator(f'a[href*="{stem(number)}.ipynb"]').first
    link.scroll_into_view_if_needed()
    link.click()
    title = panel(page).locator("h1").first
    playwright.expect(title).to_contain_text(f"Step {number}:", timeout=2 * MINUTE)


def run_all(page):
    page.locator('.lm-MenuBar-itemLabel:text-is("Run")').click()
    page.locator('.lm-Menu-itemLabel:text-is("Run All Cells")').click()
    kernels = page.get_by_role("button", name="Select Kernel")
    if kernels.count():
        kernels.first.click()
    page.wait_for_function(ENDED, timeout=4 * MINUTE)


def test_the_address_leads_to_the_map(page, lab):
    page.goto(lab.address)
    heading = panel(page).get_by_role("heading", name="The map", exact=False)
    heading.first.wait_for()
    titles = [title for stage in overview.stages() for title in stage.steps.values()]
    assert titles[0] in panel(page).inner_text()


@pytest.mark.parametrize("number", [n for n in LESSONS if n in numbers()])
def test_a_lesson_is_reached_from_the_map_runs_and_leads_on(page, lab, number):
    open_map(page, lab)
    follow(page, number)
    run_all(page)
    widths = page.evaluate(PICTURES)
    assert all(width > 50 for width in widths)
    if number != 1:
        assert widths
    # Exercises are unsolved, and each says what is missing, in a sentence.
    said = panel(page).inner_text()
    assert "AssertionError" in said or "your code here" in said
    unexpected = set(re.findall(r"\b(\w+Error): ", said)) - {"AssertionError"}
    shown = (ROOT / "steps" / f"{stem(number)}.md").read_text(encoding="utf-8")
    assert all(name in shown for name in unexpected), unexpected
    if number + 1 in numbers():
        follow(page, number + 1)


def test_the_player_moves_and_the_difference_shows(page, lab):
    open_map(page, lab)
    follow(page, 16)
    run_all(page)
    frame = panel(page).locator("iframe").first
    frame.scroll_into_view_if_needed()
    inside = frame.content_frame
    before = inside.locator("#say").text_content()
    inside.get_by_role("button", name="Next").click()
    assert inside.locator("#say").text_content() != before
    assert "changed" in panel(page).inner_text()
    assert "heapq" in panel(page).inner_text()
