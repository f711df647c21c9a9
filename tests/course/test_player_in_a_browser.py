"""The player in a browser, on a page that nbconvert makes from a notebook: stepped
through by button, slider and keyboard, with every number compared with the real one.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite import functions as F
from dezero_lite.player import play
from tests.course.texts import text
from tests.support.browser import NEEDED, launched
from tests.support.needs import needs
from tests.support.real_walks import chain, diamond, grids, real_walk, step

pytestmark = [*NEEDED, needs("pygraphviz", "nbformat", "nbconvert")]

GRAPHS = [(7, chain), (8, chain), (13, grids), (14, diamond), (16, diamond)]
GRAPHS += [(18, grids)]
WIDTHS = [400, 1400]
SCHEMES = ["light", "dark"]
SEEN, MEASURED, COLOURS = map(text, ("seen.js", "measured.js", "colours.js"))
NUMBER = re.compile(r"\(.*?\)|\S+")


def text_of(x):
    a = np.asarray(x)
    return f"{a:.5g}" if a.ndim == 0 else str(a.shape)


@pytest.fixture(scope="module")
def browser():
    with launched() as chromium:
        yield chromium


@pytest.fixture
def opened(browser, tmp_path):
    """Show a player on a page of nbconvert's; check at the end that nothing was fetched
    from elsewhere and no error was reported.
    """
    pages, fetched, errors = [], [], []

    def show(player, width=1000, scheme="light"):
        import nbconvert
        import nbformat

        cell = nbformat.v4.new_code_cell("steps.play(y)")
        bundle = player._repr_mimebundle_()
        cell.outputs = [nbformat.v4.new_output("display_data", data=bundle)]
        notebook = nbformat.v4.new_notebook(cells=[cell])
        # The page itself requests these two, which are not needed here.
        exporter = nbconvert.HTMLExporter(
            mathjax_url="", require_js_url="", theme=scheme
        )
        path = tmp_path / "page.html"
        path.write_text(exporter.from_notebook_node(notebook)[0], encoding="utf-8")
        # The system theme is light, but the player's background may still be dark.
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="light"
        )
        pages.append(page)
        page.on("request", lambda r: fetched.append(r.url))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else 0)
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.clock.install()
        page.goto(path.as_uri())
        frame = page.query_selector("iframe").content_frame()
        frame.wait_for_function("document.querySelector('#say').textContent")
        return SimpleNamespace(page=page, frame=frame, path=path)

    yield show
    for page in pages:
        page.close()
    assert errors == []
    assert [url for url in fetched if not url.startswith(("file:", "data:"))] == []


def seen(view):
    return view.frame.evaluate(SEEN)


def at_each_step(view, player):
    """Read the display at each step, using the button."""
    found = [seen(view)]
    for _ in player.steps[1:]:
        view.frame.click("#next")
        found.append(seen(view))
    return found


def player_of(number, build):
    boxes = build(step(number))
    return play(boxes["y"], **boxes)


# --- every number is the real one -----------------------------------------------------


@pytest.mark.parametrize(("number", "build"), GRAPHS)
def test_each_number_on_the_way_is_the_real_one(opened, number, build):
    player = player_of(number, build)
    notes, real = real_walk(step(number), build)
    steps = at_each_step(opened(player), player)
    assert [told["say"] for told in steps] == [told.say for told in player.steps]
    forward = [told for told in steps if told["count"].startswith("forward")]
    for told in forward:
        for name, (value, gradient) in told["nodes"].items():
            assert value in ("", text_of(real[name].data))
            assert gradient == ""
    assert all(value for value, _ in forward[-1]["nodes"].values())

    back = steps[len(forward) :]
    moments = [gradients for *_, gradients in notes]
    moments.append({name: box.grad for name, box in real.items()})
    for told, gradients in zip(back, moments, strict=False):
        for name, (value, gradient) in told["nodes"].items():
            now = gradients[name]
            assert value == text_of(real[name].data)
            assert gradient == ("" if now is None else f"grad {text_of(now)}"), name
    for told, (name, received, handed, _) in zip(back[1:-1], notes, strict=True):
        assert told["active"][0].startswith(name)
        for part, right in (("receives", received), ("passes on", handed)):
            numbers = [NUMBER.match(text)[0] for text in told["panel"][part]]
            assert numbers == list(map(text_of, right))
        assert list(told["edges"].values()) == list(map(text_of, handed))
    if (number, build) == (14, diamond):
        the_worklist_stands_beside_it(steps)
    if number == 7:
        open_calls = [f"{v}.backward()" for v in "ybax"]
        assert steps[-2]["panel"]["open calls"] == open_calls


def the_worklist_stands_beside_it(steps):
    lists = [told["panel"].get("worklist") for told in steps[5:-1]]
    letters = {"Add": "D", "Square 1": "A", "Square 2": "B", "Square 3": "C"}
    found = [[letters[text] for text in one] if one else one for one in lists]
    assert found == [["D"], ["B", "C"], ["B", "A"], ["B"], ["A"], None]
    assert steps[-2]["panel"]["worklist: empty"] == []
    assert steps[-2]["panel"]["becomes"] == ["32 + 64 = 96"]


# --- ways to move ---------------------------------------------------------------------


def test_slider_keyboard_and_buttons_lead_to_the_same_steps(opened):
    player = player_of(18, diamond)
    view = opened(player)
    by_button = at_each_step(view, player)
    last = len(by_button) - 1
    assert view.frame.is_disabled("#next")
    for k in (3, last, 0, 7):
        view.frame.fill("#slider", str(k))
        assert seen(view) == by_button[k]
    view.frame.click("#say")
    keys = [("End", last), ("ArrowLeft", last - 1), ("Home", 0), ("ArrowLeft", 0)]
    for key, k in [*keys, ("ArrowRight", 1)]:
        view.page.keyboard.press(key)
        assert seen(view) == by_button[k]
        assert view.frame.is_disabled("#back") == (k == 0)
    view.frame.focus("#slider")
    view.page.keyboard.press("ArrowRight")
    assert seen(view) == by_button[2]
    view.frame.click("#back")
    assert seen(view) == by_button[1]


def test_it_plays_stops_and_begins_anew(opened):
    player = player_of(8, chain)
    view = opened(player)
    by_button = at_each_step(view, player)
    view.frame.click("#play")
    assert seen(view) == by_button[0]
    assert view.frame.text_content("#play") == "Pause"
    view.page.clock.run_for(5_100)
    assert seen(view) == by_button[2]
    view.frame.focus("#say")
    view.frame.click("#say")
    for wait, at in ((5_100, 2), (60_000, -1)):
        view.page.keyboard.press(" ")
        view.page.clock.run_for(wait)
        assert seen(view) == by_button[at]
        assert view.frame.text_content("#play") == "Play"


# --- everyone can read it -------------------------------------------------------------


def mlp():
    rng = np.random.default_rng(0)
    x, w, b = (Variable(rng.normal(size=s)) for s in [(20, 3), (3, 4), (4,)])
    return play(F.sum(F.sigmoid(F.matmul(x, w) + b)) * 2, x=x, w=w, b=b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("build", [lambda: player_of(14, diamond), mlp])
def test_it_fits_the_page_and_nothing_jumps(opened, build, width):
    player = build()
    view = opened(player, width)
    tops = set()
    for _ in player.steps:
        found = view.frame.evaluate(MEASURED)
        assert found["wide"] <= 0
        assert -4 <= found["high"] <= 0
        assert found["letters"] >= 11
        assert found["buttons"] >= 30
        tops.add(found["top"])
        view.page.keyboard.press("ArrowRight")
        view.frame.evaluate("go(now + 1)")
    assert len(tops) == 1
    the_function_at_work_is_in_sight(view, player)


def the_function_at_work_is_in_sight(view, player):
    at_work = [k for k, told in enumerate(player.steps) if "f" in "".join(told.lit)]
    for k in at_work:
        view.frame.evaluate(f"go({k})")
        find = view.frame.query_selector
        box = find(".node.lit[id^=f] rect").bounding_box()
        frame = find("#graph").bounding_box()
        assert box["x"] >= frame["x"] - 1
        assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1


def contrast(one, other):
    """Return the contrast ratio of two colours, as the accessibility guidelines define
    it.
    """

    def luminance(colour):
        parts = np.array([float(p) for p in re.findall(r"[\d.]+", colour)[:3]]) / 255
        bright = ((parts + 0.055) / 1.055) ** 2.4
        linear = np.where(parts <= 0.03928, parts / 12.92, bright)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_stands_out_in_light_and_dark(opened, scheme):
    player = player_of(18, diamond)
    view = opened(player, scheme=scheme)
    is_dark = view.frame.evaluate("document.documentElement.classList.contains('dark')")
    assert is_dark == (scheme == "dark")
    for k in range(len(player.steps)):
        view.frame.evaluate(f"go({k})")
        pairs = view.frame.evaluate(COLOURS)
        assert len(pairs) > 12
        for words, colour, behind in pairs:
            assert contrast(colour, behind) >= 4.5, (words, colour, behind)


def test_a_screen_reader_hears_each_step(opened):
    player = player_of(14, diamond)
    view = opened(player)
    assert view.page.get_attribute("iframe", "title") == "Backward, step by step"
    assert view.frame.get_attribute("#say", "aria-live") == "polite"
    assert view.frame.get_attribute("#slider", "aria-valuetext") == "forward 1/12"
    slider = view.frame.get_by_role("slider", name="Step")
    for name in ("Back", "Play", "Next"):
        view.frame.get_by_role("button", name=name).wait_for()
    slider.fill("6")
    assert view.frame.get_attribute("#slider", "aria-valuetext") == "backward 7/12"
    assert view.frame.text_content("#say") == player.steps[6].say


def test_the_picture_for_notebooks_that_are_not_trusted_can_be_drawn(opened):
    player = player_of(14, diamond)
    view = opened(player)
    (source,) = re.findall(r'<img [^>]*src="(data:[^"]*)"', player.html())
    view.page.set_content(f'<img src="{source}">')
    view.page.wait_for_function("document.images[0].complete")
    width = view.page.evaluate("document.images[0].naturalWidth")
    assert width > view.page.evaluate("document.images[0].naturalHeight") > 50
