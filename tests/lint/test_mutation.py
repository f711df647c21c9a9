"""The tool that plants faults in the package, in text and in files."""

import ast

from steps.course.lessons import ROOT
from steps.course.mutating.mutants import list_faults
from tests.course.texts import text
from tests.mutation.mutants import harmless, mutants_of, names_by_line, sample

PROGRAM = text("faulty.py.txt")


def test_every_fault_is_found_once_and_says_where_it_stands():
    found = [f"{fault.around[-1]}: {fault.change}" for fault in list_faults(PROGRAM)]
    assert sorted(found) == sorted(text("faults.txt").splitlines())


def test_a_planted_fault_is_a_program_that_differs_there_alone():
    for fault in list_faults(PROGRAM):
        planted = fault.plant(PROGRAM)
        ast.parse(planted)
        before = PROGRAM.splitlines()[: fault.line - 1]
        assert planted.splitlines()[: fault.line - 1] == before
        assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(PROGRAM))


def test_functions_are_known_by_the_line_that_they_begin_in():
    lines = ["@once", "@twice", "def f():", "    def g(): ..."]
    lines += ["class A:", "    def h(self): ..."]
    assert names_by_line("\n".join(lines)) == {1: "f", 4: "f.g", 6: "A.h"}


def test_what_is_chosen_from_a_file_depends_on_the_seed_and_on_nothing_else():
    path, other = "dezero_lite/graph.py", "dezero_lite/random.py"
    first, again, differs = (
        sample(ROOT, [other, path], 20, seed) for seed in (0, 0, 1)
    )
    assert first == again != differs
    assert {fault.path for fault in first} == {path, other}
    among_others = {fault for fault in first if fault.path == path}
    alone = sample(ROOT, [path], 20, 0)
    assert len(among_others) < len(alone)
    assert among_others < set(alone)


def test_what_is_named_harmless_can_be_planted_and_has_a_reason():
    wrong = []
    for place, changes in harmless().items():
        path = place.partition(" ")[0]
        mutants = mutants_of(path, (ROOT / path).read_text("utf-8"))
        there = {m.fault.change for m in mutants if m.place == place}
        wrong += [f"{place}: {c}" for c, why in changes.items() if c not in there]
        wrong += [f"{c}: no reason" for c, why in changes.items() if " " not in why]
    assert not wrong, wrong
