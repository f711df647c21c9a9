"""Record the animation at the top of the README: the backward player, with step 22's
framework, in Chromium.

Usage: ``python docs/_ext/film.py``, with the extra `browser` installed.
"""

import io
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS.parent))

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from dezero_lite.player import play  # noqa: E402
from steps.step22 import Variable  # noqa: E402
from tests.support.browser import launched  # noqa: E402

FILM = DOCS / "player.gif"
SECONDS, AT_THE_END = 1.4, 4


def frames(player, size):
    """Yield a picture of the player at each of its steps."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.set_content(player._repr_mimebundle_()["text/html"])
        frame = page.frames[1]
        while True:
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            yield picture.quantize(64, dither=Image.Dither.NONE)
            if frame.locator("#next").is_disabled():
                return
            frame.locator("#next").click()


def main():
    x = Variable(np.array(2.0), name="x")
    a = x**2
    y = a**2 + a**2
    first, *others = frames(play(y, a=a, y=y), (760, 330))
    waits = [int(1000 * SECONDS)] * len(others) + [1000 * AT_THE_END]
    first.save(FILM, save_all=True, append_images=others, duration=waits, loop=0)
    print(f"{FILM}: {1 + len(others)} pictures, {FILM.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
