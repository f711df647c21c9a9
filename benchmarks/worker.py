"""One framework in a process of its own: reads the title of a row, runs its program
once, writes its seconds.

``python -m benchmarks.worker NAME TITLE`` measures the peak of memory of one row
instead.
"""

import gc
import signal
import sys

# Ctrl-C reaches every process; the one that started this ends it, and says so.
signal.signal(signal.SIGINT, signal.SIG_IGN)

from .frameworks import FRAMEWORKS  # noqa: E402
from .programs import MEMORY, ROWS, titled  # noqa: E402


def main(name):
    framework = FRAMEWORKS[name]()
    # A full collection costs what the whole process has allocated: what is there
    # already is left out.
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        print(titled(ROWS, line.strip()).program(framework), flush=True)


def memory(name, title):
    """Print the peak of resident memory while the work runs, beyond what was there
    before, in MB (Linux).
    """
    work = titled(MEMORY, title).program(FRAMEWORKS[name]())
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
    work()
    print((status("VmHWM") - before) / 1000)


def status(field):
    """A line of /proc/self/status, in kB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 2 else memory(*sys.argv[1:])
