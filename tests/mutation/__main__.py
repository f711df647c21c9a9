"""``python -m tests.mutation``: plant faults, and see which of them the tests notice.

First, every test runs once, and the functions that it calls are recorded. Then each
fault is planted in a copy of the checkout, and the tests that call the changed function
run until one of them fails: first the few in the two test files most relevant to it,
then all others. Results go to `.mutation/`; an interrupted run is resumed from there,
and whatever has changed since is tried again.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import queue
import re
import shutil
import sys

from .mutants import harmless, sample
from .processes import PARTS, ROOT, preload, run_pytest

WORK = ROOT / ".mutation"
NOTES, RESULTS = WORK / "notes", WORK / "results.jsonl"
TESTED = ("dezero_lite/**/*.py", "steps/course/*.py", "steps/course/mutating/*.py")
TESTS = (
    *("tests/package/**/test_*.py", "tests/package/*/*.md"),
    *("tests/course/**/test_*.py", "tests/course/sessions/*.md"),
    *("tests/lessons/**/test_*.py", "tests/lint/test_*.py"),
)
# These take long, or run in their own processes, where nothing can be recorded.
LEFT_OUT = (
    *("examples", "benchmarks", "wheel", "start", "bare_python", "book_networks"),
    *("exercises", "attempts"),
)
# Tests of files that they do not call.
ELSEWHERE = {
    "dezero_lite/": "tests/package/test_book_names.py",  # reads every `__all__`
    "dezero_lite/book/": "tests/package/test_book_",  # in processes of their own
}
SLOWEST = 6
FIRST_FILES = 2


def main():
    options = _options()
    WORK.mkdir(exist_ok=True)
    if options.again:
        shutil.rmtree(NOTES, ignore_errors=True)
    chosen = _chosen(options)
    if options.report:
        return _report(chosen)
    calls = _calls(options.jobs)
    done = _results()
    again = ("survived", None) if options.survivors else (None,)
    waiting = [mutant for mutant in chosen if done.get(mutant.identity) in again]
    waiting.sort(key=lambda mutant: mutant.identity not in done)
    _run_all(waiting, calls, options.jobs)
    return _report(chosen)


def _options():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    add, yes = parser.add_argument, {"action": "store_true"}
    add("--count", type=int, default=600, help="how many faults")
    add("--seed", type=int, default=0, help="another choice of faults")
    add("--jobs", type=int, default=os.cpu_count())
    add("--only", default="", help="only files with this in their path")
    add("--survivors", **yes, help="try those again that lived")
    add("--again", **yes, help="note again which test calls what")
    add("--report", **yes, help="run nothing; write the report alone")
    return parser.parse_args()


def _chosen(options):
    paths = [p.relative_to(ROOT).as_posix() for t in TESTED for p in ROOT.glob(t)]
    faults = sample(ROOT, sorted(paths), options.count, options.seed)
    return [fault for fault in faults if options.only in fault.path]


# --- running --------------------------------------------------------------------------


def _copy_of_checkout(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    return folder


def _each(work, tasks, jobs, unit):
    # Run `work(task, folder)` for each task; yield what it returns.
    from tqdm import tqdm

    preload()
    folders = queue.Queue()
    for i in range(min(jobs, len(tasks))):
        folders.put(_copy_of_checkout(f"copy{i}"))

    def one(task):
        folder = folders.get()
        try:
            return task, work(task, folder)
        finally:
            folders.put(folder)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(one, task) for task in tasks]
        done = concurrent.futures.as_completed(waiting)
        for future in tqdm(done, total=len(tasks), unit=unit, smoothing=0):
            yield future.result()


def _calls(jobs):
    # Return which functions each test calls, and how long it takes, by test name.
    NOTES.mkdir(exist_ok=True)
    files = [
        path.relative_to(ROOT).as_posix()
        for tests in TESTS
        for path in sorted(ROOT.glob(tests))
        if not path.stem.removeprefix("test_").startswith(LEFT_OUT)
        and not path.stem.endswith(LEFT_OUT)
    ]

    def notes(file):
        return NOTES / f"{file.replace('/', '-')}.json"

    def note(file, folder):
        run_pytest(folder, [file], MUTATION_NOTES=str(notes(file)))

    missing = [file for file in files if not notes(file).exists()]
    if missing:
        print("Running every test once, to note which functions it calls.")
        for _ in _each(note, missing, jobs, "file"):
            pass
    calls = {}
    for path in NOTES.glob("*.json"):
        calls |= json.loads(path.read_text())
    return calls


def _run_all(waiting, calls, jobs):
    def verdict(mutant, folder):
        return _verdict(mutant, calls, folder)

    with RESULTS.open("a") as file:
        for mutant, result in _each(verdict, waiting, jobs, "fault"):
            print(json.dumps([mutant.identity, result]), file=file, flush=True)


def _verdict(mutant, calls, folder):
    path = folder / mutant.path
    text = path.read_text("utf-8")
    for cached in path.parent.glob(f"__pycache__/{path.stem}.*"):
        cached.unlink()
    path.write_text(mutant.fault.plant(text), "utf-8")
    try:
        for tests in _stages(mutant, calls):
            if tests and _is_noticed(tests, folder):
                return "killed"
        return "survived"
    finally:
        path.write_text(text, "utf-8")


def _is_noticed(tests, folder):
    chosen = folder / "chosen.txt"
    chosen.write_text("\n".join(tests))
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return run_pytest(folder, files, MUTATION_CHOSEN=str(chosen)) != 0


def _stages(mutant, calls):
    # Choose the tests to run: first those of the files most relevant to the function.
    stem = re.sub(r"\W", "_", mutant.path.removesuffix(".py").partition("/")[2])
    places = {f"{mutant.path}:{name}" for name in mutant.fault.around}

    def fitting(fits):
        return {t: s for t, (s, f) in calls.items() if s < SLOWEST and fits(t, f)}

    # Nobody calls code that runs at import, and other processes are not recorded: then
    # run all tests of the file.
    chosen = (
        fitting(lambda _, functions: not places.isdisjoint(functions))
        or fitting(lambda _, fs: any(f.startswith(f"{mutant.path}:") for f in fs))
        or fitting(lambda test, _: stem.partition("_")[0] in test)
    )
    of_file = collections.Counter(test.partition("::")[0] for test in chosen)
    sizes = collections.Counter(test.partition("::")[0] for test in calls)
    closest = sorted(of_file, key=lambda name: -of_file[name] / sizes[name])
    closest.sort(key=lambda name: stem not in name)
    first = closest[:FIRST_FILES]
    by_time = sorted(chosen, key=chosen.get)
    yield [test for test in by_time if test.partition("::")[0] in first]
    yield [test for test in by_time if test.partition("::")[0] not in first]
    others = [ELSEWHERE[part] for part in ELSEWHERE if mutant.path.startswith(part)]
    others = (*others, f"tests/package/test_{stem}")
    yield [test for test in calls if test.startswith(others) and test not in chosen]


# --- results --------------------------------------------------------------------------


def _results():
    if not RESULTS.exists():
        return {}
    return dict(json.loads(line) for line in RESULTS.read_text().splitlines())


def _report(chosen):
    done, named = _results(), harmless()
    tried = [m for m in chosen if m.identity in done]
    survivors = [m for m in tried if done[m.identity] == "survived"]
    unseen = [m for m in survivors if m.fault.change not in named.get(m.place, ())]
    for m in unseen:
        print(f"{m.place}, line {m.fault.line}\n    {m.fault.change}")
    killed = len(tried) - len(survivors)
    print(
        f"{len(tried)} of {len(chosen)} faults tried: {killed} noticed, "
        f"{len(unseen)} not, {len(survivors) - len(unseen)} that change nothing; "
        f"score {killed / max(killed + len(unseen), 1):.1%}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
