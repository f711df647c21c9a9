"""Opens the course: `python start.py`; `python start.py --help` tells the rest.

A Python that is too old has to get as far as being told so: nothing here that Python
2.7 cannot read. All else is in launcher.py.
"""

import sys


def main(arguments):
    if sys.version_info < (3, 10):
        sys.exit(
            "The course needs Python 3.10 or newer, and this is Python %d.%d.%d."
            % sys.version_info[:3]
        )
    import launcher

    return launcher.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
