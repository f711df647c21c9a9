"""The workshop is fair: other right designs are accepted, learners keep their code, no
more is lent than needed, and the table requires nothing that lessons do not.
"""

import re
import textwrap
import time

import pytest

from steps.course import commands, learner_folder
from steps.course.capabilities import CAPABILITIES, WORKS
from steps.course.lessons import StepKind, of_kind
from steps.course.workshop import workshop_command, workspace
from steps.course.workshop.capabilities_package import (
    CAPABILITIES as CAPABILITIES_PACKAGE,
)
from steps.course.workshop.notebook import list_judging_cells
from steps.course.workshop.report import Report
from steps.course.workshop.session import accept
from steps.course.workshop.step import get_step, list_numbers, read_code
from steps.course.workshop.verdict import (
    Verdict,
    find_fewest,
    find_wrong_rows,
    judge_attempt,
)
from steps.course.workshop.workspace import LESSONS_OWN
from tests.course.learner import OWN_WAY, WAYS
from tests.course.texts import blocks

CELLS = blocks("cells.md")


def judged(learner, process, number, *cells):
    """Judge some cells in addition to those of the notebook."""
    own = learner.writes(number, *learner.cells(number), *cells)
    return judge_attempt(own, process)


# --- Another right design -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [7, 9, 15, 16, 22])
def test_another_right_design_is_right(learner, process, number):
    code = CELLS[f"another design of step {number}"]
    verdict = judged(learner, process, number, code)
    assert verdict.is_right, Report(verdict)
    assert not verdict.to_lend


LOOPS = [
    "for name, f in TABLE.items():\n    setattr(Variable, name, f)",
    "for name in TABLE:\n    setattr(Variable, f'{name}', TABLE[name])",
    "for name in ('neg', 'pow', 'sub', 'rsub'):\n"
    "    setattr(Variable, f'__{name}__', globals()[name])\n"
    "for name in ('truediv', 'rtruediv'):\n"
    "    setattr(Variable, f'__{name}__', TABLE[f'__{name}__'])",
]


@pytest.mark.slow
@pytest.mark.parametrize("loop", LOOPS)
def test_operators_that_a_loop_sets_are_written(learner, process, loop):
    learner.own_file(21).write_text(read_code(21), encoding="utf-8")
    code, pairs = read_code(22), {}
    for name, definition in get_step(22).definitions.items():
        if name in get_step(22).added and name.startswith("Variable.__"):
            code = code.replace(f"{definition.text}\n", "")
            pairs[name.partition(".")[2]] = definition.text.partition(" = ")[2]
    assert len(pairs) == 6
    table = ", ".join(f'"{name}": {f}' for name, f in pairs.items())
    cells = code, f"TABLE = {{{table}}}\n{loop}"
    verdict = judge_attempt(learner.writes(22, *cells), process)
    assert verdict.is_right, Report(verdict)
    assert not verdict.lent


ANOTHER_LAYER = """
class Layer:
    def __init__(self):
        self._params = {}

    def __setattr__(self, name, value):
        if isinstance(value, (Parameter, Layer)):
            self._params[name] = value
        super().__setattr__(name, value)

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def params(self):
        for each in self._params.values():
            yield from [each] if isinstance(each, Parameter) else each.params()

    def cleargrads(self):
        for parameter in self.params():
            parameter.cleargrad()
"""


@pytest.mark.slow
def test_a_layer_that_needs_its_init_is_blamed_as_a_whole(learner, process):
    learner.own_file(43).write_text(read_code(43), encoding="utf-8")
    linear = get_step(44).definitions["Linear"].text
    linear = linear.replace(
        "        self.out_size,", "        super().__init__()\n        self.out_size,"
    )
    own = learner.writes(44, "import numpy as np", ANOTHER_LAYER, linear)
    begin = time.monotonic()
    verdict = judge_attempt(own, process)
    assert not verdict.passes
    assert verdict.culprits == ["Layer"]
    assert time.monotonic() - begin < 60
    stubs = "\n".join(learner.cells(44))
    assert "# TODO step 44: subclasses set attributes without calling super" in stubs


@pytest.mark.slow
def test_a_class_written_anew_is_the_whole_class(learner, process):
    code = CELLS["a class that lacks something"]
    verdict = judged(learner, process, 7, code)
    assert "Variable() takes no arguments" in verdict.failure["error"]
    assert verdict.culprits == ["Variable.__init__"]
    said = repr(Report(verdict))
    assert "Your class leaves out `Variable.__init__`" in said
    assert "Not written yet" not in said


@pytest.mark.slow
@pytest.mark.parametrize(("number", "judges"), [(32, True), (33, False)])
def test_what_a_cell_asserts_judges_only_before_the_package(process, number, judges):
    cells = [("one", "assert 1 + 1 == 3\nx = 1"), ("other", "assert x == 1")]
    found = process.try_out(number, cells, read_code(number))
    assert bool(found["failure"]) == judges
    notes = [["one", "assert 1 + 1 == 3", "this is not true: `1 + 1` is `2`"]]
    assert [[*note[:2], note[2][:32]] for note in found["notes"]] == (
        [] if judges else notes
    )


@pytest.mark.slow
def test_words_of_a_message_do_not_judge(learner, process):
    learner.own_file(38).write_text(read_code(38), encoding="utf-8")
    text = read_code(39).replace("to a variable of ", "for one of ")
    assert text != read_code(39)
    learner.own_file(39).write_text(text, encoding="utf-8")
    names = get_step(40).to_write
    code = "\n\n\n".join(get_step(40).definitions[name].text for name in names)
    verdict = judge_attempt(learner.writes(40, "import numpy as np", code), process)
    assert verdict.is_right, Report(verdict)


@pytest.mark.slow
def test_a_cell_before_the_code_may_stop_in_the_package(process):
    """Such a cell shows what does not work yet, and may fail in the learner's
    own way.
    """
    stops = (
        ("The problem, cell 1", "x = 1\n1 / 0"),
        ("It works, cell 1", "assert x == 1"),
    )
    found = process.try_out(40, stops, read_code(40))
    assert found["failure"] is None
    assert found["notes"] == [
        ["The problem, cell 1", "1 / 0", "ZeroDivisionError: division by zero"]
    ]
    assert process.try_out(32, stops, read_code(32))["failure"]


# --- Where it is written --------------------------------------------------------------


def test_what_stands_above_an_untouched_stub_counts(learner):
    own = learner.writes(8, CELLS["a walk in a loop"], *learner.cells(8))
    assert "while box.creator" in own.module.format()
    assert own.unchanged == []


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("def backward(self):\n", "outside its class"),
        (
            "class Variable(step07.Variable):\n  def backward(self):\n",
            "derived from step07",
        ),
    ],
)
def test_what_does_not_count_is_said(learner, begin, said):
    indent = "      " if begin.startswith("class") else "    "
    cells = [f"{begin}{indent}return 1"]
    own = learner.writes(8, *cells)
    assert own.unchanged == ["Variable.backward"]
    verdict = Verdict(own, None, {}, own.fill())
    assert said in repr(Report(verdict))
    # Attached, it counts.
    if begin.startswith("def"):
        assert not learner.writes(8, *cells, "Variable.backward = backward").ignored


@pytest.mark.slow
def test_a_name_that_nobody_imports_is_not_right(learner, process):
    cells = [c.replace("import weakref\n", "") for c in learner.cells(17)]
    code = re.sub(r"^(import|from) .*\n", "", read_code(17), flags=re.M)
    verdict = judge_attempt(learner.writes(17, *cells, code), process)
    assert verdict.failure["error"] == "NameError: name 'weakref' is not defined"


# --- What is lent ---------------------------------------------------------------------


@pytest.mark.slow
def test_a_skipped_step_takes_no_more_than_it_needs(learner, process):
    for number in range(1, 17):  # right, as test_workshop_learners.py shows
        learner.types(number, OWN_WAY[number])
        own = workspace.read_attempt(number, learner.place)
        workspace.write_framework(Verdict(own, None, {}, own.module), learner.place)
    before = workspace.get_base(17, learner.place)
    assert not before.lent
    learner.open(17)
    verdict = learner.judged(17, process)
    # Their Exp.backward reads an attribute that step 17 makes weak.
    needed = ["Variable.backward", "Function.__call__", "Exp.backward"]
    assert sorted(verdict.to_lend) == sorted(needed)
    assert verdict.to_lend[-1] == "Exp.backward"
    said = " ".join(accept(verdict, learner.place))
    lent = said.partition("It borrows")[2]
    assert all(f"`{name}`" in lent for name in needed)
    assert workspace.read_lent(workspace.read_own_text(17, learner.place)) == {*needed}
    theirs, old = verdict.module.definitions, before.module.definitions
    kept = [n for n in old if "." in n and n not in needed]
    assert len(kept) > 10
    assert all(theirs[name].has_same_code(old[name]) for name in kept)


SLOTS = '    __slots__ = ("data", "grad", "creator", "generation", "__weakref__")\n\n'
# Another backward pass: functions in the order of their last use, without generations.
WITHOUT_GENERATIONS = """
    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)
        for f in reversed(sort_calls(self.creator)):
            gxs = as_tuple(f.backward(*[y.grad for y in f.outputs]))
            for x, gx in zip(f.inputs, gxs, strict=True):
                x.grad = as_array(gx if x.grad is None else x.grad + gx)


def as_tuple(ys):
    return ys if isinstance(ys, tuple) else (ys,)


def sort_calls(last):
    done, stack = {}, [(last, False)]
    while stack:
        f, is_ready = stack.pop()
        if is_ready:
            done[f] = True
        elif f is not None and f not in done:
            stack += [(f, True), *((x.creator, False) for x in f.inputs)]
    return [*done]
"""


def with_slots():
    code = read_code(18)
    place = code.index("    def __init__(self, data):")
    return code[:place] + SLOTS + code[place:]


def without_generations():
    code, definitions = read_code(16), get_step(16).definitions
    old = textwrap.indent(definitions["Variable.backward"].text, "    ")
    assert old in code
    code = re.sub(r"( *).*\bgeneration = .*\n", "", code)
    return code.replace(old, WITHOUT_GENERATIONS.strip("\n"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("last", "make"), [(18, with_slots), (16, without_generations)]
)
def test_what_does_not_fit_into_a_class_takes_its_place(learner, process, last, make):
    learner.own_file(last).write_text(make(), encoding="utf-8")
    assert workspace.passes_table(last, make())
    base = workspace.get_base(last + 2, learner.place)
    assert workspace.passes_table(last + 1, base.module.format())
    assert "All of `Variable` is the lesson's" in base.message
    assert "Variable.__len__" in base.lent or last == 16
    # Judging an unwritten step also gives this message.
    verdict = judge_attempt(learner.writes(last + 1), process)
    assert len(verdict.culprits) <= 3
    assert verdict.module.format()


@pytest.mark.slow
def test_two_methods_are_lent_and_not_their_class(learner, process):
    now, before = (get_step(n).definitions["Variable"].text for n in (9, 8))
    verdict = judge_attempt(
        learner.writes(9, read_code(9).replace(now, before)), process
    )
    assert sorted(verdict.culprits) == ["Variable.__init__", "Variable.backward"]


def test_of_names_that_mend_the_fewest_are_found():
    tried = []

    def mend(*names):
        tried.append(names)
        return {"c", "g"} <= {*names}

    assert find_fewest(tuple("abcdefgh"), mend) == ("c", "g")
    assert len(tried) < 20
    assert find_fewest(("a",), mend) == ("a",)


def test_of_many_names_one_is_blamed(learner):
    own = learner.writes(9, "def as_array(x):\n    return x")
    verdict = Verdict(own, None, {}, own.fill())
    first, *others = verdict.culprits = own.step.to_write[:5]
    said = repr(Report(verdict)).partition("With 5 of your definitions")[2]
    assert f"Begin with `{first}`. `steps.hint(9, " in said
    assert not [name for name in others if f"`{name}`" in said.partition("\n")[0]]


@pytest.mark.slow
def test_where_most_rows_fail_the_one_that_raises_is_soon_found(
    learner, process, monkeypatch
):
    text = re.sub(r"\bgy\b", "g", read_code(59))  # many differ from the lesson
    text = text.replace("self.generation = 0\n", "self.generation = zero\n")
    learner.own_file(59).write_text(text, encoding="utf-8")
    names = ("EmbedID", "LSTM")
    code = [get_step(60).definitions[name].text for name in names]
    own, tried = learner.writes(60, "import numpy as np", *code), []
    try_out = process.try_out
    count = lambda *task, **how: tried.append(task) or try_out(*task, **how)
    monkeypatch.setattr(process, "try_out", count)
    verdict = judge_attempt(own, process)
    assert verdict.culprits == ["Variable.__init__"]
    assert len(tried) < 6  # each takes about a second


@pytest.mark.slow
def test_where_none_raises_the_one_that_all_failing_rows_run_is_found(
    learner, process, monkeypatch
):
    text = re.sub(r"\bgy\b", "g", read_code(59))  # many differ from the lesson
    wrong = text.replace("return x1 * g, x0 * g", "return x0 * g, x1 * g")
    assert wrong != text
    learner.own_file(59).write_text(wrong, encoding="utf-8")
    code = [get_step(60).definitions[name].text for name in ("EmbedID", "LSTM")]
    own, tried = learner.writes(60, "import numpy as np", *code), []
    try_out = process.try_out
    count = lambda *task, **how: tried.append(task) or try_out(*task, **how)
    monkeypatch.setattr(process, "try_out", count)
    verdict = judge_attempt(own, process)
    assert len(find_wrong_rows(60, verdict.table)) > 20
    assert verdict.culprits == ["Mul.backward"]
    assert len(tried) < 6


def test_where_nothing_helps_nothing_is_offered(learner, monkeypatch):
    """The lesson's own code does not pass either."""
    own = learner.writes(9, read_code(9))
    verdict = Verdict(own, None, {}, own.fill())
    monkeypatch.setattr(workspace, "read_attempt", lambda number: own)
    monkeypatch.setattr(workspace, "describe_mixture", lambda number: [])
    monkeypatch.setattr(workshop_command, "judge_attempt", lambda attempt: verdict)
    report, goes_on = workshop_command._judge_step(9)
    assert not goes_on
    assert repr(report).endswith("Only the saved notebook was judged.")
    own.missing.append("exp")
    report, _ = workshop_command._judge_step(9)
    assert "--anyway` continues with the lesson's own `exp`." in repr(report)


def report_on(own, culprits, inside=""):
    failure = {"cell": "It works, cell 1", "line": "", "error": "it stops"}
    failure |= {"definitions": [inside], "inside": "return 1"}
    return repr(Report(Verdict(own, failure, {}, own.fill(), culprits)))


def test_whose_code_it_is_is_said(learner):
    core, number = read_code(32), 33
    docstring = f'"""Mine.\n\n{LESSONS_OWN}\n    Variable.cleargrad\n"""\n'
    learner.own_file(32).write_text(docstring + core, encoding="utf-8")
    names = ["add", "mul", "sub", "rsub", "div", "rdiv"]
    own = learner.writes(number, *(get_step(33).definitions[n].text for n in names))
    whose = {
        "Variable.cleargrad": "the lent",
        "check_gradient": "the given",
        "Function.__call__": "your",
    }
    for name, words in whose.items():
        said = report_on(own, ["add"], name)
        assert f"It happened in {words} `{name}`" in said


def test_a_forward_that_is_no_def_lacks_no_return(learner):
    code = read_code(22).replace(
        "class Neg(Function):", "class Neg(Function):\n    forward = staticmethod(abs)"
    )
    code = code.replace("    def forward(self, x):\n        return -x\n", "")
    own = learner.writes(22, code)
    assert "forward = staticmethod" in own.module.definitions["Neg.forward"].text
    assert "returns `None`" not in report_on(own, ["Neg.forward"])


def test_a_forward_that_changes_its_input_is_said(learner):
    own = learner.writes(9, read_code(9))
    verdict = Verdict(own, None, {}, own.fill(), ["Square.forward"])
    verdict.evidence["differentiates one function"] = "your forward changed its input"
    assert "changes its input" in repr(Report(verdict))


@pytest.mark.slow
def test_what_was_lent_and_is_written_since_is_theirs(learner, process):
    lent = f'"""Mine.\n\n{LESSONS_OWN}\n    Variable.backward\n    exp\n"""\n'
    learner.own_file(13).write_text(lent + read_code(13), encoding="utf-8")
    there = learner.cells(14)
    assert learner.writes(14, *there).lent == {"Variable.backward", "exp"}
    own = learner.writes(14, *there, read_code(14))
    assert own.lent == set()
    assert judge_attempt(own, process).lent == []


# --- What is said ---------------------------------------------------------------------


def test_a_file_that_is_gone_is_not_a_newer_course(learner, capsys):
    before = learner.own_file(7)
    mine = read_code(7).replace("x.backward()", "x.backward()  # mine")
    stamp = workspace.get_stamp(learner.place)
    learner_folder.write_tracked({before: mine}, stamp)
    commands.main(["workshop", "8"])
    before.unlink()
    capsys.readouterr()
    commands.main(["workshop", "8"])
    said = capsys.readouterr().out
    assert "your step07.py no longer exists" in said
    assert "newer" not in said


def test_a_file_that_never_was_is_not_missed(learner, capsys):
    learner.own_file(7).write_text(read_code(7), encoding="utf-8")
    commands.main(["workshop", "9"])
    learner.own_file(7).unlink()
    capsys.readouterr()
    commands.main(["workshop", "9"])
    assert "any more" not in capsys.readouterr().out


def test_only_the_first_package_step_cuts_a_file(learner, monkeypatch):
    monkeypatch.setattr(workspace, "write_framework", lambda *_: learner.own_file(32))
    first = of_kind(StepKind.PACKAGE)[0]
    for number in (22, 32):
        learner.own_file(number).write_text(read_code(number), encoding="utf-8")
        own = learner.writes(number)
        said = " ".join(accept(Verdict(own, None, {}, own.module), learner.place))
        assert f"step {number + 1}]" in said
        assert ("splits your own file" in said) == (number + 1 == first)


# --- The table and the cells ----------------------------------------------------------

BREAKS = re.compile(
    r"^## (\d+) ([^\n]+)\n\n```text\n(.*?)\n```\n\n```text\n(.*?)\n```$", re.M | re.S
)


def breaks():
    text = (WAYS / "rows.md").read_text(encoding="utf-8")
    found = BREAKS.findall(text)
    assert len(found) == text.count("\n## "), "a heading or a block is misspelt"
    return [(int(step), *rest) for step, *rest in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "row", "old", "new"), breaks(), ids=lambda value: str(value)[:30]
)
def test_what_the_table_asks_for_a_cell_asks_for_too(process, number, row, old, new):
    code = read_code(number)
    assert old in code
    found = process.try_out(number, list_judging_cells(number), code.replace(old, new))
    assert found["table"][row] != WORKS
    assert found["failure"], "no cell of the lesson asks for it"
    assert found["failure"]["cell"].startswith("It works")


def test_a_stub_names_what_a_row_reads_and_the_lesson_s_class_sets(learner):
    missing = []
    for row in CAPABILITIES_PACKAGE:
        step = get_step(row.history[0][0])
        code = "\n".join(step.definitions[name].text for name in step.to_write)
        sets = {*re.findall(r"self\.(\w+)", code), *re.findall(r'"(\w+)"', code)}
        stubs = [cell for cell in learner.cells(step.number) if "TODO step" in cell]
        told = {*re.findall(r"\w+", "\n".join(stubs))}
        reads = sets.intersection(re.findall(r"\.(\w+)", row.code)) - told
        missing += [(step.number, name) for name in sorted(reads)]
    assert missing == []


def test_a_notebook_says_how_what_it_gives_is_called(learner):
    told = {n: str(learner.open(n)["cells"]) for n in (33, 46, 58)}
    assert "`operands(x0, x1)`, " in told[33]
    assert "`check_gradient(f, x, gx)`" in told[33]
    assert "state(param, *names)" in told[46]
    assert "`remember(average, new, decay)`" in told[58]


def test_every_row_that_is_learned_in_the_workshop_is_asked_for():
    learned = {
        (number, row.name)
        for row in CAPABILITIES
        for number in list_numbers()
        if row.expected(number) == WORKS and row.learned_at(number) == number
    }
    # Steps 6 to 10 require whatever step 13 brings back.
    again = {(13, name) for number, name in learned if number in range(6, 11)}
    assert {(number, name) for number, name, *_ in breaks()} >= learned - again
