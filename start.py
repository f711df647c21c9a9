"""Open the course: `python start.py`; `python start.py --help` shows more commands.

An old Python has to be able to show the message that it is too old, so this file is
also valid Python 2.7. Everything else is in launcher.py.
"""

import sys


def main(arguments):
    if sys.version_info < (3, 10):
        sys.exit(
            "The course needs Python 3.10 or newer, and this is Python %d.%d.%d."
            % sys.version_info[:3]
        )
    from steps.course.translation import tool

    arguments = tool.choose_language(arguments)
    import launcher

    return launcher.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
