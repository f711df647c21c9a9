"""Helpers that the examples share: options, a progress bar, the check of a result, and
one-line errors if something is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def options(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every example has."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An abbreviated option may be a typo.
        allow_abbrev=False,
    )
    name = Path(sys.argv[0]).stem + ".png"
    parser.add_argument(
        "--quick",
        action="store_true",
        help="run for a few seconds only, with a worse result",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="the seed of all random numbers (default: %(default)s)",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        default=name,
        help="where to save the picture (default: %(default)s)",
    )
    return parser


def count(text: str) -> int:
    """Parse the value of an option that counts something, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the options, and reject those that would fail only after a long run.
    Without matplotlib, `plot` is empty.
    """
    args = parser.parse_args()
    if args.seed < 0:
        parser.error(f"--seed {args.seed}: a seed must be at least 0")
    if not find_spec("matplotlib"):
        print("No picture will be saved: that needs `pip install matplotlib`")
        args.plot = ""
    if args.plot:
        path = Path(args.plot)
        if not path.parent.is_dir():
            parser.error(f"--plot {path}: the folder {path.parent} does not exist")
        if path.suffix != ".png":  # asking matplotlib is slow
            from matplotlib.backend_bases import FigureCanvasBase

            endings = sorted(FigureCanvasBase.get_supported_filetypes())
            if path.suffix[1:].lower() not in endings:
                parser.error(
                    f"--plot {path}: the file must end in one of {', '.join(endings)}"
                )
    return args


def run(main: Callable[[], None], saved: str = "nothing was saved") -> None:
    """Run an example; Ctrl-C ends it with one line, which says what is saved."""
    stopped = False
    try:
        main()
    except KeyboardInterrupt:
        stopped = True
    if stopped:  # main is over, so its progress bar has finished its line
        print(f"Stopped; {saved}.", file=sys.stderr)
        sys.exit(130)


@contextmanager
def needed() -> Iterator[None]:
    """End the run with one line if data are missing or damaged."""
    try:
        yield
    except (OSError, ImportError, ValueError) as error:
        sys.exit(f"Could not load the data: {error}")


class Progress:
    """Shows the progress of a run: as a bar if tqdm is installed, else as ten lines."""

    def __init__(self, total: int, unit: str) -> None:
        self.total = total
        self.unit = unit
        self.done = 0
        self.bar = None
        if find_spec("tqdm"):
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit=f" {unit}")

    def advance(self, note: str) -> None:
        """Count one more unit as done; `note` describes the current state."""
        self.done += 1
        if self.bar:
            self.bar.set_postfix_str(note, refresh=False)
            self.bar.update()
            if self.done == self.total:
                self.bar.close()
        elif 10 * self.done // self.total > 10 * (self.done - 1) // self.total:
            print(f"{self.done} of {self.total} {self.unit}: {note}", flush=True)


def check(
    name: str,
    value: float,
    *,
    above: float | None = None,
    below: float | None = None,
    unit: str = "",
) -> None:
    """Print a result and the bound that it should meet; exit if it does not."""
    reached = (
        value > above if above is not None else below is not None and value < below
    )
    expected = f"above {above}" if above is not None else f"below {below}"
    print(f"{name}: {value:.4g}{unit} (expected: {expected}{unit})")
    if not reached:
        sys.exit(
            "The result misses the expectation; try another --seed to see whether it "
            "was bad luck."
        )
