"""Attempts at exercises: a lesson is run up to the exercise, then the attempt takes the
place of the solution, and its check answers.
"""

import ast
import gc
import linecache
import re
import symtable
import tempfile

from steps.course import builder, exercises
from tests.support import lesson_checks as checks

CLASS = re.compile(r"\b[A-Z]\w*\(|\.setup\(")
IMPORTS = ast.Import | ast.ImportFrom
DEFINES = IMPORTS | ast.FunctionDef | ast.ClassDef
ADDS = {"append", "add", "extend", "insert", "pop", "setdefault", "update"}


def run(text, names):
    """Run a cell; its lines can be read in a traceback, as in a notebook."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


class Run:
    """A lesson that is run from exercise to exercise, as far as it is asked for."""

    def __init__(self, number, cells=None):
        import matplotlib as mpl

        mpl.use("Agg")
        # A whole test run leaves millions of objects; to a lesson that asks for all
        # there are, as 17 does, they are as good as gone.
        gc.collect()
        gc.freeze()
        # A notebook has `display`; here nobody looks.
        self.names = {"__name__": "__main__", "display": lambda *_: None}
        self.number, self.exercise, self.waiting = number, 0, None
        self.cells = iter(cells or cells_needed(number))

    def go_on(self):
        """Run what is left of this exercise, and all cells up to the next one."""
        import matplotlib.pyplot as plt

        while True:
            cell = self.waiting or next(self.cells, None)
            if cell is None:
                raise LookupError(
                    f"lesson {self.number} has no exercise {self.exercise + 1}"
                )
            text = checks.source(cell)
            if exercises.is_solution(text) and cell is not self.waiting:
                self.exercise, self.waiting = self.exercise + 1, cell
                return
            self.waiting = None
            try:
                run(text, self.names)
            except Exception:
                assert "raises-exception" in checks.tags(cell)
            plt.close("all")

    def tidy_up(self):
        for value in self.names.values():
            if isinstance(value, tempfile.TemporaryDirectory):
                value.cleanup()


# The lesson that is running. It is not begun anew for each exercise, so ask for them in
# their order.
runs: dict[int, Run] = {}


def lesson_until(number, exercise):
    """Run a lesson up to an exercise: its names, the exercise's cell and its check."""
    if number not in runs or runs[number].exercise > exercise:
        for other in runs.values():
            other.tidy_up()
        runs.clear()
        runs[number] = Run(number)
    current = runs[number]
    while current.exercise < exercise:
        current.go_on()
    found = exercises.of_lesson(builder.lesson_cells(number))[exercise - 1]
    return current.names, found.solution, found.check


def complaint(number, exercise, attempt, hidden=True):
    """What the check of an exercise, with or without hidden tests, says to an attempt;
    None if it is content.
    """
    names, _, check = lesson_until(number, exercise)
    if not hidden:
        check = exercises.without_hidden_tests(check)
    names = dict(names)
    run(attempt, names)
    try:
        run(check, names)
    except AssertionError as error:
        return str(error)
    return None


def complaint_about_stub(number, exercise):
    """What is wrong with how a check meets the untouched stub; None if it fails with a
    sentence.
    """
    names, solution, check = lesson_until(number, exercise)
    names = dict(names)
    if said := run_what_stops(exercises.without_solution(solution), names):
        return f"the stub stops: {said}"
    return complaint_about_check(run_what_stops(check, names))


def complaint_about_check(said):
    """What is wrong with what a check has said to a stub; None if it is a sentence."""
    if said is None:
        return "passes on the stub"
    if not re.match("AssertionError: .{12}", said):
        return f"{said}, which does not help"
    return None


def cells_needed(number):
    """The cells of a lesson that its exercises stand on."""
    return needed_among(checks.code_cells(builder.assemble(number)))


def needed_among(cells, also=()):
    """The cells that a lesson's exercises, and some more of its cells, stand on. What
    trains or draws beside them is left out: nbval runs it, and here it would take most
    of the time.

    It goes by names, from the last cell to the first. Should it leave out too much, an
    exercise stops, or its check is not content with a right attempt.
    """
    objects = made_of_classes(cells)
    needed, found = set(), []
    for cell in reversed(cells):
        source = checks.source(cell)
        statements = parsed(source).body
        brought = asked_for(statements, set())
        if (
            cell in also
            or exercises.is_solution(source)
            or exercises.CHECK in checks.tags(cell)
            or needed & (bound(source) | changed(source) | objects & brought)
            or all(isinstance(statement, DEFINES) for statement in statements)
            or any(isinstance(statement, IMPORTS) for statement in statements)
        ):
            needed = needed - bound(source) | brought
            found.append(cell)
    return found[::-1]


def touched_by_exercises(cells):
    """The cells that go on with what an exercise defines, at first or second hand."""
    written, found = set(), []
    for cell in cells:
        source = checks.source(cell)
        if exercises.is_solution(source):
            written |= bound(source)
        elif written & globals_used(source):
            written |= bound(source) | changed(source)
            found.append(cell)
        else:
            written -= bound(source)
    return found


def asked_for(statements, known):
    """The names that statements use before they bind them, beyond those known."""
    found, known = set(), set(known)
    for statement in statements:
        head, first, body = statement, set(), []
        if isinstance(statement, ast.For):
            head, body = statement.iter, statement.body + statement.orelse
            first = bound(f"{ast.unparse(statement.target)} = 0")
        elif isinstance(statement, ast.With):
            head, body = ast.With(statement.items, [ast.Pass()]), statement.body
            first = bound(ast.unparse(ast.fix_missing_locations(head)))
        used = globals_used(ast.unparse(ast.fix_missing_locations(head)))
        found |= used - first - known
        known |= first
        found |= asked_for(body, known)
        known |= bound(ast.unparse(statement))
    return found


def made_of_classes(cells):
    """The names of models, optimizers and their like, which a cell that mentions them
    may change.
    """
    return {
        target.id
        for cell in cells
        for node in ast.walk(parsed(checks.source(cell)))
        if isinstance(node, ast.Assign) and CLASS.search(ast.unparse(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def changed(source):
    """The names of which a cell sets an attribute or an item, or adds one to."""
    owners = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ADDS:
            owners.append(node.func.value)
        elif isinstance(node, ast.Attribute | ast.Subscript):
            owners += [] if isinstance(node.ctx, ast.Load) else [node.value]
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def parsed(source):
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic
        return ast.Module([], [])


def leans_on_exercises(number):
    """Whether the lesson goes on with what an exercise defines, further down or in
    another exercise, so that it may run differently where that is not solved.
    """
    written, own = set(), set()
    # Of the built notebook, which is quickly read.
    for cell in checks.code_cells(checks.notebook(number)):
        source = checks.source(cell)
        if exercises.is_solution(source):
            written |= own
            own = bound(source)
            source = exercises.without_solution(source)
            if written & globals_used(source):
                return True
        elif exercises.CHECK in checks.tags(cell):
            if written & globals_used(source):
                return True
        else:
            if (written | own) & globals_used(source):
                return True
            written, own = written - bound(source), own - bound(source)
    return False


def table_of(source):
    """The symbols of a cell; None where it is not Python."""
    try:
        return symtable.symtable(source, "cell", "exec")
    except SyntaxError:  # a magic
        return None


def bound(source):
    """The names that a cell defines."""
    table = table_of(source)
    return (
        {s.get_name() for s in table.get_symbols() if s.is_assigned()}
        if table
        else set()
    )


def globals_used(source):
    """The names of the notebook that a cell, or a function in it, uses."""

    def used_in(table):
        at_top = table.get_type() == "module"
        used = {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (at_top or symbol.is_global())
        }
        return used.union(*map(used_in, table.get_children()))

    table = table_of(source)
    return used_in(table) if table else set()


def complaints_when_run_again(number, exercise):
    """What a check has against a solution that it has seen before, and that was undone
    in between. It may ask for the solution to be run once more.
    """
    names, solution, check = lesson_until(number, exercise)
    names, stub = dict(names), exercises.without_solution(solution)
    found = []
    run(solution, names)
    for undo in (False, True, False):
        if undo:
            run_what_stops(stub, names)
            run_what_stops(check, names)
            run(solution, names)
        said = run_what_stops(check, names)
        if said and "run both cells again" not in said:
            found.append(said)
    return found


def run_what_stops(text, names):
    """Run a cell; what it says when it stops, or None."""
    try:
        run(text, names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def exercises_of(number):
    """The numbers of a lesson's exercises."""
    cells = checks.code_cells(builder.assemble(number))
    count = sum(exercises.is_solution(checks.source(cell)) for cell in cells)
    return set(range(1, count + 1))
