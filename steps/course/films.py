"""Animations, as a player that needs nothing from a network."""

import io
import re

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


class Film:
    """An animation: a player in a notebook, its last frame where scripts do not run."""

    def __init__(self, animation):
        import matplotlib.pyplot as plt

        figure = animation._fig
        _lay_out_once(animation)
        html = animation.to_jshtml(default_mode="once")
        html = ICON.sub(lambda icon: ICONS[icon[1]], ICON_FONT.sub("", html))
        self.frames = len(re.findall(r"^\s*frames\[\d+\] = ", html, re.M))
        self.html = self._told(html)
        last = io.BytesIO()
        figure.savefig(last, format="png", dpi=figure.dpi)
        self.last = last.getvalue()
        plt.close(figure)

    def _told(self, html):
        """With words for a reader who cannot see it. The builder puts those of the
        lesson in their place.
        """
        words = {
            '<img id="_anim_img': f'alt="{self!r}"',
            '<input id="_anim_slider': 'aria-label="Frame"',
        }
        for element, said in words.items():
            html = html.replace(element, element.replace(" ", f" {said} ", 1))
        return html

    def __repr__(self):
        return f"a film of {self.frames} frames"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/html": self.html,
            "image/png": self.last,
            "text/plain": repr(self),
        }


def _lay_out_once(animation):
    """Let all frames have the layout of the first. Matplotlib would draw each three
    times: to be seen at once, to find its layout, and to save it.
    """
    figure = animation._fig
    animation._init_draw()
    for _ in range(4):  # a layout takes a few rounds to settle
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.canvas.draw_idle = lambda: None
