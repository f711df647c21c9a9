"""Shows animations: in a player where somebody watches, else as a picture that moves
once.
"""

import io
import re

from matplotlib.animation import PillowWriter

from .watching import is_watched

# Matplotlib's player fetches an icon font; these signs every font has.
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
# A picture that moves by itself for longer has to be one that can be stopped.
MAX_MILLISECONDS = 4_900


class Film:
    """Shows an animation. Its player holds every frame, drawn as this machine draws,
    and ids by chance: a stored notebook keeps the picture in its place.
    """

    def __init__(self, animation):
        import matplotlib.pyplot as plt

        _fix_layout(animation)
        animation.save("film", writer=(drawn := _Frames()))
        frames = drawn._frames  # type: ignore[attr-defined]
        self.frames = len(frames)
        images = [frame.convert("RGB") for frame in frames]
        self.png = _encode(images, animation._interval)
        self.html = self._make_player(animation) if is_watched() else None
        plt.close(animation._fig)

    def _make_player(self, animation):
        html = animation.to_jshtml(default_mode="once")
        html = ICON.sub(lambda icon: ICONS[icon[1]], ICON_FONT.sub("", html))
        # For a reader who cannot see it.
        html = html.replace("<img id=", f'<img alt="{self!r}" id=')
        return html.replace("<input id=", '<input aria-label="Frame" id=')

    def __repr__(self):
        return f"a film of {self.frames} frames"

    def _repr_mimebundle_(self, include=None, exclude=None):
        shown = {"image/png": self.png, "text/plain": repr(self)}
        return shown | ({"text/html": self.html} if self.html else {})


class _Frames(PillowWriter):
    """Collects what an animation draws."""

    def finish(self):
        """Nothing is written to a file."""


def _encode(images, interval):
    """Encode frames as one PNG that moves once; where it does not, shows the last."""
    png = io.BytesIO()
    once = {"duration": min(interval, MAX_MILLISECONDS // len(images)), "loop": 1}
    images[-1].save(png, "png", default_image=True, append_images=images, **once)
    return png.getvalue()


def _fix_layout(animation):
    """Let all frames have the layout of the first. Matplotlib would draw each three
    times: to be seen at once, to find its layout, and to save it.
    """
    figure = animation._fig
    animation._init_draw()
    for _ in range(4):  # a layout takes a few rounds to settle
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.canvas.draw_idle = lambda: None
