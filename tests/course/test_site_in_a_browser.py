"""The site in a browser: everyone can find, read and play it, from a folder and from a
server, without requests to other hosts.
"""

import functools
import http.server
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.course.texts import text
from tests.support import site
from tests.support.browser import MINUTE, NEEDED, expect, launched

pytestmark = [*NEEDED, *site.NEEDED]

LESSON = "lessons/step16.html"  # with a player, pictures and a difference
FORMULA = "lessons/step28.html"
STAGE = "course/stage4.html"
PAGES = ["index.html", LESSON, "api/dezero_lite.html"]
# With a table or picture that may be wider than a phone.
BROAD = "course/index course/stage4 capabilities benchmarks designs exercises teach"
BROAD += " from-the-book contribute lessons/start lessons/step57"
WIDE = [*PAGES, FORMULA, *(f"{name}.html" for name in BROAD.split())]
# One page of each kind.
KINDS = [*PAGES, FORMULA, "lessons/start.html", "course/index.html"]
KINDS += ["course/stage4.html", "glossary.html", "capabilities.html", "search.html"]
SCHEMES = ["light", "dark"]
DESK, PHONE = (1300, 900), (390, 844)
PLACES = ["folder", "server"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def addresses():
    """Return the site's address, in a folder and on a server."""
    handler = functools.partial(Quiet, directory=site.HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        yield {"folder": site.HTML.as_uri(), "server": f"http://127.0.0.1:{port}"}
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with launched() as chromium:
        yield chromium


@pytest.fixture
def opened(browser, addresses):
    """Open pages of the site; check at the end that nothing was fetched from another
    host and no script failed.
    """
    shown = []

    def show(name, place="server", size=DESK, scheme="light"):
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
        )
        page.set_default_timeout(2 * MINUTE)
        seen = SimpleNamespace(page=page, home=addresses[place], fetched=[], errors=[])
        page.on("request", lambda request: seen.fetched.append(request.url))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        shown.append(seen)
        page.goto(f"{seen.home}/{name}")
        return page

    yield show
    for seen in shown:
        seen.page.close()
        ours = (seen.home, "data:", "about:")
        assert seen.fetched
        assert [url for url in seen.fetched if not url.startswith(ours)] == []
        # When opened from a folder, browsers show no excerpts of search results.
        unread = "Failed to fetch" if seen.home.startswith("file:") else None
        assert [error for error in seen.errors if error != unread] == []


# --- everyone can read it -------------------------------------------------------------

SERIOUS = text("serious.js")


def complaints(page):
    """List the problems that axe-core calls serious or critical, in the page and its
    players.
    """
    axe = pytest.importorskip("axe_playwright_python")
    rules = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    for frame in page.frames:
        frame.evaluate(rules)
    return page.evaluate(SERIOUS)


# Each colour scheme once, because colours do not depend on the width.
@pytest.mark.parametrize(("scheme", "size"), [("light", DESK), ("dark", PHONE)])
@pytest.mark.parametrize("name", KINDS)
def test_axe_finds_nothing_serious(opened, name, scheme, size):
    assert complaints(opened(name, size=size, scheme=scheme)) == []


def test_axe_sees_into_the_player(opened):
    page = opened("index.html")
    page.frames[1].evaluate('document.getElementById("slider").ariaLabel = ""')
    assert [name for name, _ in complaints(page)] == ["label"]


# The words of a closed fold.
SHOWS = "article summary .collapsed"
STICKING_OUT = "document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_on_a_phone_no_page_is_wider_than_the_screen(opened, scheme):
    page = opened("index.html", size=PHONE, scheme=scheme)
    home = page.url.removesuffix("/index.html")
    for name in WIDE:
        page.goto(f"{home}/{name}")
        page.evaluate("window.MathJax?.startup.promise")
        assert page.evaluate(STICKING_OUT) <= 0, name


def test_what_is_wider_scrolls_by_itself(opened):
    page = opened("capabilities.html", size=PHONE)
    table = page.locator(".table-wrapper").first
    table.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


@pytest.mark.parametrize(("name", "wide"), [(WIDE[-1], "pre"), (STAGE, "div")])
def test_what_is_wider_than_a_phone_has_an_edge(opened, name, wide):
    page = opened(name, size=PHONE)
    around = page.locator(f"{wide}[tabindex]:not(.cell_input *)").first
    edge = around.evaluate("element => getComputedStyle(element).borderRightStyle")
    assert edge == "double"


def test_the_graph_of_the_front_page_fits_a_phone(opened):
    inside = opened("index.html", size=PHONE).frame_locator("iframe")
    inside.locator("body.back").wait_for()
    graph = inside.locator("#graph")
    assert graph.evaluate("graph => graph.scrollWidth <= graph.clientWidth")


@pytest.mark.parametrize("place", PLACES)
def test_formulas_are_set(opened, place):
    page = opened(FORMULA, place)
    formula = page.locator("article mjx-container").first
    assert formula.bounding_box()["width"] > 20
    assert "\\(" not in page.locator("article").inner_text()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_pictures_of_a_lesson_are_there(opened, scheme):
    page = opened(LESSON, "folder", scheme=scheme)
    sizes = "all => all.map(image => image.naturalWidth)"
    widths = page.locator("article img").evaluate_all(sizes)
    assert len(widths) >= 2
    assert min(widths) > 100


# --- what moves -----------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["index.html", LESSON])
def test_the_player_moves(opened, name, place):
    inside = opened(name, place).locator("iframe").first.content_frame
    say = inside.locator("#say")
    # The one on the front page plays by itself; the slider stops it.
    inside.locator("#slider").fill("0")
    expect(say).to_contain_text("Forward")
    for _ in range(6):
        inside.get_by_role("button", name="Next").click()
    expect(say).not_to_contain_text("Forward")
    expect(inside.locator("#count")).to_contain_text("backward")


def test_the_player_of_the_front_page_starts_by_itself(opened):
    inside = opened("index.html").locator("iframe").first.content_frame
    expect(inside.locator("#say")).to_contain_text("The backward pass is complete")


@pytest.mark.parametrize("place", PLACES)
def test_the_player_follows_the_switch_of_light_and_dark(opened, place):
    page = opened(LESSON, place)
    inside = page.locator("iframe").first.content_frame
    dark = inside.locator("html.dark")
    inside.locator("#say").wait_for()
    assert dark.count() == 0
    # The switch goes from the system's choice to light or dark.
    for _ in range(3):
        page.locator(".theme-toggle:visible").first.click()
        theme = page.evaluate("document.body.dataset.theme")
        expect(dark).to_have_count(int(theme == "dark"))


# --- found ----------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_the_search_finds_generation(opened, place):
    page = opened("index.html", place)
    box = page.get_by_role("textbox", name="Search").first
    box.fill("generation")
    box.press("Enter")
    title = "Step 16: Generations"
    page.locator("#search-results li > a").filter(has_text=title).first.click()
    expect(page.locator("article h1")).to_contain_text(title)


FIELD = """vanishing gradient, gradient clipping, chain rule, tape, autograd,
reverse mode, Jacobian, VJP, overfitting, residual, backpropagation through time,
KV cache, epoch, learning rate, logits, attention head, transformer, regularization,
hyperparameter"""


def test_the_search_finds_the_words_of_the_field_in_the_glossary(opened):
    page = opened("index.html")
    home = page.url.removesuffix("/index.html")
    for words in FIELD.replace("\n", " ").split(", "):
        page.goto(f"{home}/search.html?q={words}")
        found = page.locator("#search-results li > a[href*='glossary.html']")
        found.first.wait_for()  # on failure, the address in the error has the words


# --- the way through ------------------------------------------------------------------


def test_the_player_begins_by_itself_but_not_for_who_wants_no_motion(opened):
    page = opened("index.html")
    expect(page.frame_locator("iframe").locator("#play")).to_have_text("Pause")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.evaluate("new Promise((done) => setTimeout(done, 300))")
    # At once, because the player also stops at its end.
    assert page.frame_locator("iframe").locator("#play").inner_text() == "Play"


def test_arrow_keys_turn_the_page_and_a_lesson_that_is_done_stays_marked(opened):
    page = opened(LESSON)
    page.get_by_role("button", name="This lesson is done").click()
    page.keyboard.press("Escape")
    page.locator("article").press("ArrowRight")
    page.wait_for_url("**/step17.html")
    page.locator("article").press("ArrowLeft")
    page.wait_for_url("**/step16.html")
    here = page.locator(".sidebar-tree .current-page > a.done")
    expect(here).to_have_count(1)
    page.goto(page.url.replace(LESSON, "index.html"))
    expect(page.locator(".course-stages a.done")).to_have_text("16")


def test_the_list_beside_a_lesson_is_scrolled_to_it(opened):
    page = opened("lessons/step51.html")
    expect(page.locator(".sidebar-tree .current-page > a")).to_be_in_viewport()


def test_print_shows_what_is_folded_and_the_end_of_the_walk(opened):
    page = opened(LESSON)
    folded = page.locator("article details")
    expect(page.locator("article details[open]")).to_have_count(0)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("article details[open]")).to_have_count(folded.count())
    player = page.frame_locator("iframe").first
    expect(player.locator("#next")).to_be_disabled()


def test_folds_say_what_is_in_them(opened):
    page = opened(LESSON)
    said = {words.partition(": ")[2] for words in page.locator(SHOWS).all_inner_texts()}
    assert {"solution", "check", "full listing", "code of the picture"} <= said
