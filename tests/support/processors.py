"""Lessons with the kinds of arithmetic that one machine can imitate: ``python -m
tests.matrix --processors``.

Training amplifies differences in the last digit. So lessons that train or measure run
in every setting, and the others in the two that differ most.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np

from steps.course.lessons import ROOT, numbers, read_front_matter, spans

PAGE, RESULT = ROOT / "docs" / "machines.md", "\n## Result\n"
# OpenBLAS's kernels, and what a processor needs to run them.
CORES = {"Haswell": "AVX2", "SkylakeX": "AVX512F", "Zen": "AVX2", "Nehalem": "SSE42"}
FURTHEST = ["Haswell, one thread", "Nehalem without wide loops, two threads"]
HEAD = [
    "| setting | lessons | what fails | minutes | when |",
    "| :-- | :-- | :-- | --: | :-- |",
]
# The path of another NumPy, in front of the installed one.
NUMPY = "NUMPY"


def settings():
    """Return the settings that this processor can imitate: names, and environments."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    has = {name for name, is_there in __cpu_features__.items() if is_there}
    wide = " ".join(name for name in __cpu_dispatch__ if name in has)
    narrow = {"NPY_DISABLE_CPU_FEATURES": wide}
    threads = {
        "one thread": {"OPENBLAS_NUM_THREADS": "1"},
        "two threads": {"OPENBLAS_NUM_THREADS": "2"},
    }
    cores = {
        f"{core}, {name}": {"OPENBLAS_CORETYPE": core} | number
        for core, feature in CORES.items()
        if feature in has
        for name, number in threads.items()
    }
    if "Nehalem, two threads" in cores:
        cores[FURTHEST[1]] = cores["Nehalem, two threads"] | narrow
    return {
        "as it is": {},
        **cores,
        "without wide loops": narrow,
        "two threads": threads["two threads"],
        "glibc's own memory settings": {
            "MALLOC_MMAP_THRESHOLD_": str(2**17),
            "MALLOC_TRIM_THRESHOLD_": str(2**17),
        },
        "another order of hashes": {"PYTHONHASHSEED": "1"},
        "MPLBACKEND=Agg": {"MPLBACKEND": "Agg"},
        "C locale": {"LC_ALL": "C"},
        "oldest NumPy": {NUMPY: "numpy==2.0.0"},
        "newest NumPy": {NUMPY: "numpy"},
    }


def main(lessons, names, quick, jobs, write):
    """Run the lessons in the settings, and print a table."""
    there = settings()
    if strange := set(names) - there.keys():
        sys.exit(f"No setting {', '.join(strange)}; there are: {'; '.join(there)}")
    if quick:
        names = [name for name in FURTHEST if name in there] or ["without wide loops"]
        heads = {n: read_front_matter(n) for n in numbers()}
        lessons = lessons or [n for n in heads if trains_only(heads[n])]
    rows, failed = {}, False
    for name in names or there:
        chosen = lessons or all_for(name)
        print(f"-- {name}: {spans(chosen)}", flush=True)
        start = time.monotonic()
        cells = failures(chosen, there[name], jobs)
        minutes = (time.monotonic() - start) / 60
        failed |= bool(cells)
        rows[name] = (
            f"| {name} | {spans(chosen)} | {', '.join(cells) or '–'} | {minutes:.1f} | "
            f"{date.today():%d %B %Y} |"
        )
        # After each setting, because all of them take hours.
        if write:
            write_table(rows, there)
    print("\n" + "\n".join([machine(), "", *HEAD, *rows.values()]))
    sys.exit(failed)


def trains_only(head):
    """Whether a lesson trains, and measures no times, which neighbours disturb."""
    return head.trains and not head.measures


def write_table(rows, there):
    """Write this machine's rows into the page; its other rows, and the tables of other
    machines, stay.
    """
    text, _, result = PAGE.read_text(encoding="utf-8").partition(RESULT)
    parts = result.strip().split("\n\n")
    tables = dict(zip(parts[::2], parts[1::2], strict=False))
    lines = tables.get(machine(), "").splitlines()
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines} | rows
    own = [rows[name] for name in there if name in rows]
    tables[machine()] = "\n".join([*HEAD, *own])
    whole = "\n\n".join(part for table in tables.items() for part in table)
    PAGE.write_text(f"{text}{RESULT}\n{whole}\n", encoding="utf-8")


def all_for(name):
    """Select the lessons for which a setting matters."""
    return [
        n
        for n in numbers()
        if name in FURTHEST
        or read_front_matter(n).trains
        or read_front_matter(n).measures
    ]


def failures(lessons, environment, jobs):
    """Run the notebooks of some lessons; return which cells fail, as ``74 [23]``."""
    books = [f"notebooks/step{number:02d}.ipynb" for number in lessons]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *books]
    # OpenBLAS's threads spin while they wait, and would hold up each other's.
    jobs //= int(environment.get("OPENBLAS_NUM_THREADS", 1))
    command += ["-n", str(jobs)] if jobs > 1 else []
    variables = os.environ | environment
    with tempfile.TemporaryDirectory() as folder:
        if wanted := variables.pop(NUMPY, None):
            pip = [sys.executable, "-m", "pip", "install", "-q", "--target", folder]
            subprocess.run([*pip, wanted], check=True)
            paths = [folder, os.environ.get("PYTHONPATH", "")]
            variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        ran = subprocess.run(
            command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, encoding="utf-8"
        )
    if ran.returncode:
        print(ran.stdout)
    cells = re.findall(r"^FAILED \S*step(\d\d)\.ipynb::Cell (\d+)", ran.stdout, re.M)
    found = [f"{lesson} [{cell}]" for lesson, cell in cells]
    return found or ["the run itself"] * (ran.returncode != 0)


def machine():
    """Describe where this runs."""
    return (
        f"{processor()}, {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}."
    )


def processor():
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return re.search(r"model name\s*: (.*)", told)[1]
    except (OSError, TypeError):
        return platform.processor() or platform.machine()
