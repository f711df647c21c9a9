"""A real browser for tests: Chromium or Chrome, where there is one."""

import contextlib
import shutil

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason='not installed: pip install "dezero-lite[browser]"'
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
# For a module's `pytestmark`.
NEEDED = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PROGRAM is None, reason="there is no Chromium or Chrome on the path"
    ),
]


@contextlib.contextmanager
def launched():
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()
