"""A module as text that parts can be put into and taken out of."""

import ast
import re
import sys
import textwrap
from dataclasses import dataclass, field
from functools import lru_cache

from ..definitions import Kind, imports, nodes, parsed, span
from .parts import globals_used, names_needed_at_once, owner, parts

# In the docstring of a learner's file, above the names of what is not theirs.
LESSONS_OWN = "The lesson's own in it:"


@dataclass
class Module:
    """The statements of a module in order, apart from its docstring, its imports and
    ``__all__``, which are made anew.
    """

    chunks: list[str] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source):
        found = cls(imports=imports(parsed(source)))
        lines, end = source.splitlines(), 0
        for node in parsed(source).body:
            start, end = end, max(end, node.end_lineno)
            text = "\n".join(lines[start:end]).strip("\n")
            if text and not _is_of_the_head(node):
                found.chunks.append(text)
        rest = "\n".join(lines[end:]).strip("\n")
        if rest and found.chunks:
            found.chunks[-1] += f"\n\n{rest}"
        return found

    def copy(self):
        return Module(list(self.chunks), dict(self.imports))

    def body(self):
        """The definitions as text, each after what it needs."""
        text, before = "", ""
        for chunk in self._sorted():
            gap = "\n" if _is_line(before) and _is_line(chunk) else "\n\n\n"
            text, before = f"{text}{gap if text else ''}{chunk}", chunk
        return f"{text}\n" if text else ""

    def text(self, docstring=""):
        """The whole module, as it is written to a file."""
        body = self.body()
        public = sorted(n for n in _names(body) if n[0] != "_")
        listed = "".join(f'    "{name}",\n' for name in public)
        heads = [f'"""{docstring}"""' if docstring else "", self._import_block(body)]
        heads += [f"__all__ = [\n{listed}]" if public else ""]
        return "\n\n".join(filter(None, heads)) + f"\n\n\n{body}"

    def parts(self):
        return parts(self.body())

    # --- Changing ---------------------------------------------------------------------

    def put(self, name, part, order=()):
        """Put a part in the place of one of that name, or where it belongs by an order
        of names.
        """
        if part.kind in (Kind.METHOD, Kind.ATTRIBUTE):
            self.drop_attached(name)
            if (place := self._place(owner(name))) is not None:
                self.chunks[place] = with_member(self.chunks[place], name, part, order)
            return
        if part.kind == Kind.ATTACHED:
            self.drop(name)
            if part.text in self.chunks:  # a loop that attaches several
                return
        if (place := self._place(name)) is not None:
            self.chunks[place] = part.text
        else:
            self.chunks.insert(self._place_by(name, order), part.text)

    def drop(self, name):
        """Take a part out; a class goes with all that it holds."""
        if "." in name:
            self.drop_attached(name)
            if (place := self._place(owner(name))) is not None:
                self.chunks[place] = without_member(self.chunks[place], name)
        elif (place := self._place(name)) is not None:
            del self.chunks[place]

    def drop_attached(self, name):
        """Take out a line such as ``Variable.__add__ = add``."""
        self.chunks = [chunk for chunk in self.chunks if not _attaches(chunk, name)]

    def bring(self, name, text):
        """Put a helper above what uses it first."""
        users = [k for k, c in enumerate(self.chunks) if name in globals_used(c)]
        self.chunks.insert(users[0] if users else 0, text)

    def take_imports(self, source, wanted=None):
        """Import what is missing; if some names are wanted, these alone."""
        for name in self.missing_names():
            if name in source and (wanted is None or name in wanted):
                self.imports.setdefault(name, source[name])

    def _place(self, name):
        places = [k for k, chunk in enumerate(self.chunks) if name in parts(chunk)]
        return places[-1] if places else None

    def _place_by(self, name, order):
        order = list(order)
        later = {*order[order.index(name) + 1 :]} if name in order else set()
        places = (k for k, chunk in enumerate(self.chunks) if later & _names(chunk))
        return next(places, len(self.chunks))

    # --- Order and imports ------------------------------------------------------------

    def _sorted(self):
        self.chunks = [*_in_order(tuple(self.chunks))]
        return self.chunks

    def missing_names(self):
        """Names that it uses and neither defines nor imports."""
        body = self.body()
        return globals_used(body) - set(parts(body)) - set(self.imports)

    def _import_block(self, body):
        used = globals_used(body, True)
        if "__getattr__" in self.imports:  # from 69 on it hands on what it imports
            used = self.imports
        lines = {line for name, line in self.imports.items() if name in used}
        homes = {line: re.split(r"[ .]", line)[1] for line in lines}
        pythons = {n for n in lines if homes[n] in sys.stdlib_module_names}
        # `import` stands before `from`.
        key = lambda line: (line.startswith("from"), line)
        groups = [sorted(pythons, key=key), sorted(lines - pythons, key=key)]
        return "\n\n".join("\n".join(group) for group in groups if group)


def _attaches(chunk, name):
    """Whether a statement attaches this method, and no other one."""
    found = parts(chunk)
    return list(found) == [name] and found[name].kind == Kind.ATTACHED


def _is_of_the_head(node):
    if isinstance(node, ast.Assign | ast.AugAssign):
        return ast.unparse(node).startswith("__all__ ")
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


def _is_line(chunk):
    return "\n" not in chunk and not chunk.startswith(("def ", "class ", "@"))


@lru_cache(maxsize=4096)
def _names(chunk):
    return {name for name in parts(chunk) if "." not in name}


@lru_cache(maxsize=4096)
def _needs(chunk):
    return names_needed_at_once(ast.parse(chunk))


@lru_cache(maxsize=1024)  # a package asks for its text again and again
def _in_order(chunks):
    """Statements of a module, each after what it needs."""
    defines = {chunk: _names(chunk) for chunk in chunks}
    needs = {chunk: _needs(chunk) for chunk in chunks}
    waiting, found = [*chunks], []
    while waiting:
        later = set().union(*(defines[chunk] for chunk in waiting))
        ready = (c for c in waiting if later.isdisjoint(needs[c] - defines[c]))
        chunk = next(ready, waiting[0])
        waiting.remove(chunk)
        found.append(chunk)
    return found


# --- What a class holds ---------------------------------------------------------------


def with_member(text, name, part, order=()):
    """The text of a class with one method, or one thing that it holds, put in."""
    lines, new = text.splitlines(), textwrap.indent(part.text, "    ").splitlines()
    if there := _members(text).get(name.partition(".")[2]):
        return "\n".join([*lines[: there[0]], *new, *lines[there[1] :]])
    place = _line_for(text, name, part, list(order))
    before, after = lines[:place], lines[place:]
    above = [""] if before[-1].strip() else []
    below = [""] if after and after[0].strip() else []
    changed = "\n".join([*before, *above, *new, *below, *after])
    return re.sub(r"\n{3,}", "\n\n", changed).rstrip()


def without_member(text, name):
    start, end = _members(text).get(name.partition(".")[2], (0, 0))
    lines = text.splitlines()
    left = [line.rstrip() for line in lines[:start] + lines[end:]]
    while start and start < len(left) and not left[start - 1] + left[start]:
        del left[start]
    return "\n".join(left).rstrip()


def _members(text):
    """What a class holds, by name: the lines in which it stands."""
    found = ((name.partition(".")[2], node) for name, _, node in nodes(text))
    return {name: span(text, node) for name, node in found if name}


def _line_for(text, name, part, order):
    """The line before which something new in a class belongs."""
    members, end = _members(text), len(text.splitlines())
    if name not in order:
        return end
    if part.kind == Kind.METHOD:
        for before in reversed(order[: order.index(name)]):
            before_in, _, member = before.partition(".")
            if before_in == owner(name) and member in members:
                return members[member][1]
    # Under the docstring; but __radd__ = __add__ has to wait for __add__.
    needs = names_needed_at_once(ast.parse(part.text))
    methods = [node for _, kind, node in nodes(text) if kind == Kind.METHOD]
    return span(text, methods[0])[0] if methods and not needs & set(members) else end
