"""A module's source code, which definitions can be added to and removed from."""

import ast
import re
import sys
import textwrap
from dataclasses import dataclass, field
from functools import lru_cache

from .definitions import (
    Kind,
    find_globals,
    find_lines,
    find_names_needed_at_once,
    get_owner,
    join_statements,
    list_top_names,
    parse,
    read_definitions,
    read_imports,
    walk_definitions,
)


@dataclass
class ModuleText:
    """The statements of a module in order, apart from its docstring, imports and
    ``__all__``, which `format` writes.
    """

    statements: list[str] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, source):
        """Read a module; each statement includes the comments above it."""
        module = cls(imports=read_imports(parse(source)))
        lines, end = source.splitlines(), 0
        for node in parse(source).body:
            start, end = end, max(end, node.end_lineno)
            text = "\n".join(lines[start:end]).strip("\n")
            if text and not _is_in_head(node):
                module.statements.append(text)
        rest = "\n".join(lines[end:]).strip("\n")
        if rest and module.statements:
            module.statements[-1] += f"\n\n{rest}"
        return module

    def copy(self):
        return ModuleText(list(self.statements), dict(self.imports))

    @property
    def body(self):
        """The source code of the definitions, each after those that it needs."""
        text = join_statements(_sort(tuple(self.statements)))
        return f"{text}\n" if text else ""

    @property
    def definitions(self):
        return read_definitions(self.body)

    @property
    def missing_names(self):
        """The names that the module uses but neither defines nor imports."""
        return find_globals(self.body) - set(self.definitions) - set(self.imports)

    def format(self, docstring=""):
        """Return the whole module as it is written to a file."""
        body = self.body
        heads = [f'"""{docstring}"""' if docstring else "", self._format_imports(body)]
        heads += [format_all(list_top_names(body))]
        return "\n\n".join(filter(None, heads)) + f"\n\n\n{body}"

    def _format_imports(self, body):
        used = find_globals(body, True)
        if "__getattr__" in self.imports:  # from step 69 on, it re-exports its imports
            used = self.imports
        lines = {line for name, line in self.imports.items() if name in used}
        sources = {line: re.split(r"[ .]", line)[1] for line in lines}
        pythons = {n for n in lines if sources[n] in sys.stdlib_module_names}
        key = lambda line: (line.startswith("from"), line)  # `import` before `from`
        groups = [sorted(pythons, key=key), sorted(lines - pythons, key=key)]
        return "\n\n".join("\n".join(group) for group in groups if group)

    # --- Changing ---------------------------------------------------------------------

    def put(self, name, definition, order=()):
        """Replace the definition of that name, or insert a new one.

        A new one is inserted where an order of names puts it; without an order, above
        the first statement that uses it.
        """
        if definition.is_member:
            self.drop_attached(name)
            if (index := self._find(get_owner(name))) is not None:
                text = self.statements[index]
                self.statements[index] = put_into_class(text, name, definition, order)
            return
        if definition.kind == Kind.ATTACHED:
            self.drop(name)
            if definition.text in self.statements:  # it is a loop that attaches several
                return
        if (index := self._find(name)) is not None:
            self.statements[index] = definition.text
        else:
            self.statements.insert(self._find_place(name, order), definition.text)

    def drop(self, name):
        """Remove a definition; a class is removed with its members."""
        if "." in name:
            self.drop_attached(name)
            if (index := self._find(get_owner(name))) is not None:
                self.statements[index] = drop_from_class(self.statements[index], name)
        elif (index := self._find(name)) is not None:
            del self.statements[index]

    def drop_attached(self, name):
        """Remove a line such as ``Variable.__add__ = add`` if it attaches no other
        name.
        """
        attaches = lambda s: (
            [*read_definitions(s)] == [name]
            and (read_definitions(s)[name].kind == Kind.ATTACHED)
        )
        self.statements = [s for s in self.statements if not attaches(s)]

    def add_imports(self, imports, wanted=None):
        """Import missing names; if `wanted` is given, only those in it."""
        for name in self.missing_names:
            if name in imports and (wanted is None or name in wanted):
                self.imports.setdefault(name, imports[name])

    def _find(self, name):
        """Find the index of the last statement that defines a name; None if missing."""
        places = reversed(range(len(self.statements)))
        defines = lambda k: name in read_definitions(self.statements[k])
        return next(filter(defines, places), None)

    def _find_place(self, name, order):
        order = list(order)
        later = {*order[order.index(name) + 1 :]} if order else {name}
        get_names = list_top_names if order else find_globals
        places = (k for k, s in enumerate(self.statements) if later & {*get_names(s)})
        return next(places, len(self.statements))


def format_all(names):
    """Format ``__all__`` with those of some names that are public, if any."""
    public = sorted(name for name in names if name[0] != "_")
    listed = "".join(f'    "{name}",\n' for name in public)
    return f"__all__ = [\n{listed}]" if public else ""


def _is_in_head(node):
    if isinstance(node, ast.Assign | ast.AugAssign):
        return ast.unparse(node).startswith("__all__ ")
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


@lru_cache(maxsize=4096)
def _need(statement):
    """Find the names that others have to define before a statement runs."""
    names = find_names_needed_at_once(ast.parse(statement))
    return names.difference(list_top_names(statement))


@lru_cache(maxsize=1024)  # a package's source is generated again and again
def _sort(statements):
    """Sort the statements of a module so that each comes after those that it needs."""
    waiting, ordered = [*statements], []
    while waiting:
        later = set().union(*map(list_top_names, waiting))
        ready = (s for s in waiting if later.isdisjoint(_need(s)))
        statement = next(ready, waiting[0])
        waiting.remove(statement)
        ordered.append(statement)
    return ordered


# --- Definitions in a class -----------------------------------------------------------


def put_into_class(text, name, definition, order=()):
    """Replace the member of that name in the source of a class, or insert a new one
    where an order of names puts it.
    """
    lines = text.splitlines()
    new = textwrap.indent(definition.text, "    ").splitlines()
    if span := _find_spans(text).get(name.partition(".")[2]):
        return "\n".join([*lines[: span[0]], *new, *lines[span[1] :]])
    line = _find_line(text, name, definition, list(order))
    before, after = lines[:line], lines[line:]
    above = [""] if before[-1].strip() else []
    below = [""] if after and after[0].strip() else []
    changed = "\n".join([*before, *above, *new, *below, *after])
    return re.sub(r"\n{3,}", "\n\n", changed).rstrip()


def drop_from_class(text, name):
    """Remove a method or an attribute from the source of a class."""
    start, end = _find_spans(text).get(name.partition(".")[2], (0, 0))
    lines = text.splitlines()
    left = [line.rstrip() for line in lines[:start] + lines[end:]]
    while start and start < len(left) and not left[start - 1] + left[start]:
        del left[start]
    return "\n".join(left).rstrip()


def complete_class(text, name, definitions, order):
    """Add the missing methods of a class to its source.

    Attributes and special methods are added only if they are in `order`: others, such
    as ``__slots__``, change what the class does.
    """
    known = read_definitions(text)
    for other, definition in definitions.items():
        is_inside = get_owner(other) == name != other
        is_plain = definition.kind == Kind.METHOD and not other.endswith("__")
        is_plain = is_plain or (other in order and definition.kind != Kind.ATTACHED)
        if is_inside and is_plain and other not in known:
            text = put_into_class(text, other, definition, order)
    return text


def _find_spans(text):
    """Map each member of a class to its first line and its end."""
    inside = ((n.partition(".")[2], node) for n, _, node in walk_definitions(text))
    return {name: find_lines(text, node) for name, node in inside if name}


def _find_line(text, name, definition, order):
    """Find the line before which a new member of a class belongs."""
    spans, end = _find_spans(text), len(text.splitlines())
    if name not in order:
        return end
    if definition.kind == Kind.METHOD:
        for before in reversed(order[: order.index(name)]):
            owner, _, member = before.partition(".")
            if owner == get_owner(name) and member in spans:
                return spans[member][1]
    # It belongs below the docstring, but __radd__ = __add__ has to follow __add__.
    needs = _need(definition.text)
    methods = [n for _, kind, n in walk_definitions(text) if kind == Kind.METHOD]
    if not methods or needs & set(spans):
        return end
    return find_lines(text, methods[0])[0]
