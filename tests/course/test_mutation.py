"""The tool that plants faults: each kind is what it says, and the choice repeats."""

import ast

from steps.course.lessons import ROOT
from tests.mutation.mutants import mutants_of, names_by_line, sample

PROGRAM = '''\
"""A docstring."""

LIMIT = 3


class Box:
    def grow(self, by: int = 1) -> int:
        if by:
            self.size = join(self.a, by) - by
        if by < LIMIT and not self.ready:
            raise ValueError(f"no {1 + 1}")
        return self.size
'''


def faults():
    return {m.key.partition(" ")[2]: m for m in mutants_of(PROGRAM, "box.py")}


def test_every_kind_of_fault_is_found_once():
    assert sorted(faults()) == sorted(
        [
            "the module: 3 → 4",
            "Box: 1 → 2",
            "Box.grow: by → (not by)",
            "Box.grow: self.size = join(self.a, by) - by → pass",
            "Box.grow: join(self.a, by) - by → (join(self.a, by) + by)",
            "Box.grow: join(self.a, by) → join(by, self.a)",
            "Box.grow: by < LIMIT and not self.ready → (by < LIMIT or not self.ready)",
            "Box.grow: by < LIMIT → (by <= LIMIT)",
            "Box.grow: not self.ready → (self.ready)",
            'Box.grow: raise ValueError(f"no {1 + 1}") → pass',
            "Box.grow: return self.size → return None",
        ]
    )


def test_a_planted_fault_is_a_program_that_differs_there_alone():
    for fault in faults().values():
        planted = fault.planted(PROGRAM)
        ast.parse(planted)
        assert planted != PROGRAM
        assert planted.count("\n") == PROGRAM.count("\n")


def test_functions_are_known_by_the_line_that_they_begin_in():
    text = (
        "@once\n@twice\ndef f():\n    def g(): ...\n\n\nclass A:\n    def h(self): ..."
    )
    assert names_by_line(text) == {1: "f", 4: "f.g", 8: "A.h"}


def test_the_same_seed_makes_the_same_choice_from_every_file():
    paths = ["dezero_lite/random.py", "dezero_lite/graph.py"]
    first, again, other = (sample(ROOT, paths, 20, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert {fault.path for fault in first} == set(paths)


def test_the_choice_from_a_file_stays_when_another_one_changes():
    path, other = "dezero_lite/graph.py", "dezero_lite/random.py"
    among_others = {f for f in sample(ROOT, [other, path], 20, 0) if f.path == path}
    alone = sample(ROOT, [path], 20, 0)
    assert len(among_others) < len(alone)
    assert among_others < set(alone)
