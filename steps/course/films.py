"""Show animations: in a player if a person is watching, else as an animated PNG."""

import io
import re

from matplotlib.animation import PillowWriter

from .interactive import is_interactive

# Matplotlib's player downloads an icon font; every font has these characters.
ICONS = {
    "fa-minus": "−",
    "fa-fast-backward": "|◀",
    "fa-step-backward": "◀|",
    "fa-play fa-flip-horizontal": "◀",
    "fa-pause": "❚❚",
    "fa-play": "▶",
    "fa-step-forward": "|▶",
    "fa-fast-forward": "▶|",
    "fa-plus": "+",
}
ICON = re.compile(r'<i class="fa ([\w -]+)"></i>')
ICON_FONT = re.compile(r'<link rel="stylesheet"\s+href="[^"]*font-awesome[^"]*">\s*')
# Accessibility (WCAG 2.2.2): a picture that moves for more than 5 seconds needs a way
# to pause it.
MAX_MILLISECONDS = 4_900


class Film:
    """An animation. Its player depends on the machine that draws its frames, and has
    random ids, so stored notebooks hold a picture instead.
    """

    def __init__(self, animation):
        import matplotlib.pyplot as plt

        _fix_layout(animation)
        animation.save("film", writer=(drawn := _Frames()))
        frames = drawn._frames  # type: ignore[attr-defined]
        self.frames = len(frames)
        images = [frame.convert("RGB") for frame in frames]
        self.png = _encode(images, animation._interval)
        self.html = self._make_player(animation) if is_interactive() else None
        plt.close(animation._fig)

    def _make_player(self, animation):
        html = animation.to_jshtml(default_mode="once")
        html = ICON.sub(lambda icon: ICONS[icon[1]], ICON_FONT.sub("", html))
        # Add descriptions for screen readers.
        html = html.replace("<img id=", f'<img alt="{self!r}" id=')
        return html.replace("<input id=", '<input aria-label="Frame" id=')

    def __repr__(self):
        return f"a film of {self.frames} frames"

    def _repr_mimebundle_(self, include=None, exclude=None):
        shown = {"image/png": self.png, "text/plain": repr(self)}
        return shown | ({"text/html": self.html} if self.html else {})


class _Frames(PillowWriter):
    """Collects the frames of an animation."""

    def finish(self):
        """Write no file."""


def _encode(images, interval):
    """Encode frames as a PNG that plays once; programs that cannot play it show the
    last frame.
    """
    png = io.BytesIO()
    once = {"duration": min(interval, MAX_MILLISECONDS // len(images)), "loop": 1}
    images[-1].save(png, "png", default_image=True, append_images=images, **once)
    return png.getvalue()


def _fix_layout(animation):
    """Give all frames the layout of the first.

    Otherwise Matplotlib would draw each frame three times: to display it, to find its
    layout, and to save it.
    """
    figure = animation._fig
    animation._init_draw()
    for _ in range(4):  # the layout settles after a few draws
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.canvas.draw_idle = lambda: None
