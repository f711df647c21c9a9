"""nbformat and jupytext, imported without a slow optional dependency.

nbformat validates with jsonschema, which on import builds parsers for addresses with
international characters. That takes longer than everything else in a command of the
course, and no notebook has such an address.
"""

import sys

_PARSERS = "rfc3987_syntax"  # optional: jsonschema works without it

_hidden = sys.modules.setdefault(_PARSERS, None) is None  # type: ignore[arg-type]
try:
    import jupytext
    import nbformat
finally:
    if _hidden:
        del sys.modules[_PARSERS]

__all__ = ["jupytext", "nbformat"]
