"""A real browser for tests: Chromium or Chrome, if installed. Playwright is only
imported when a test begins, because that takes half a second.
"""

import contextlib
import shutil

import pytest

from tests.support.needs import needs

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
MINUTE = 60_000
# For a module's `pytestmark`.
NEEDED = [
    pytest.mark.slow,
    needs("playwright"),
    pytest.mark.skipif(
        PROGRAM is None, reason="there is no Chromium or Chrome on the path"
    ),
]


def needed(test):
    for mark in NEEDED:
        test = mark(test)
    return test


@contextlib.contextmanager
def launched():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def expect(place):
    """Wait briefly for a locator to be visible; return it."""
    from playwright.sync_api import expect

    expect.set_options(timeout=2 * MINUTE)
    return expect(place)
