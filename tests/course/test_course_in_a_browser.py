"""The course as a learner meets it: JupyterLab in a browser, with the learner's folder.

A lesson of each stage is reached from the map by its link, and leads to the next.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from types import SimpleNamespace

import pytest

from steps.course.lessons import ROOT, stem

pytest.importorskip("jupyterlab")
browsers = pytest.importorskip("tests.support.browser")
pytestmark = browsers.NEEDED

MINUTE = 60_000
# One of each stage.
LESSONS = [1, 16, 26, 38, 54, 65]


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
    with browsers.launched() as chromium:
        page = chromium.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(2 * MINUTE)
        yield page


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
    browsers.playwright.expect(title).to_contain_text(
        f"Step {number}:", timeout=2 * MINUTE
    )


def test_the_address_leads_to_the_map(page, lab):
    page.goto(lab.address)
    heading = panel(page).get_by_role("heading", name="The map", exact=False)
    heading.first.wait_for()


@pytest.mark.parametrize("number", LESSONS)
def test_links_lead_from_the_map_to_a_lesson_and_on(page, lab, number):
    open_map(page, lab)
    follow(page, number)
    follow(page, number + 1)
    follow(page, number)
