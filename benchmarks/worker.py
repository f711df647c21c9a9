"""Run one framework in a separate process: read titles of rows, run each row's program
once, and print its seconds.

``python -m benchmarks.worker NAME TITLE`` measures the peak memory of one row instead.
"""

import gc
import signal
import sys

# Ctrl-C reaches every process; the parent ends this one and reports it.
signal.signal(signal.SIGINT, signal.SIG_IGN)

from .frameworks import FRAMEWORKS, ON_A_GPU  # noqa: E402
from .programs import MEMORY, ROWS, titled  # noqa: E402


def main(name):
    framework = (FRAMEWORKS | ON_A_GPU)[name]()
    # A full collection visits all objects of the process; freeze those that exist
    # already.
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        print(titled(ROWS, line.strip()).program(framework), flush=True)


def memory(name, title):
    """Print the peak of resident memory while the work runs, minus that before, in MB
    (Linux only).
    """
    work = titled(MEMORY, title).program(FRAMEWORKS[name]())
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # reset the peak
    work()
    print((status("VmHWM") - before) / 1000)


def status(field):
    """Return the value of a line of /proc/self/status, in kB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 2 else memory(*sys.argv[1:])
