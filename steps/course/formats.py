"""nbformat and jupytext, without a detour.

nbformat's judge of schemas, jsonschema, builds parsers for addresses with letters of
all alphabets as soon as it is imported. That takes longer than all else that a command
of the course does, and no notebook has such an address.
"""

import sys

_PARSERS = "rfc3987_syntax"  # jsonschema does without what cannot be imported

_hidden = sys.modules.setdefault(_PARSERS, None) is None  # type: ignore[arg-type]
try:
    import jupytext
    import nbformat
finally:
    if _hidden:
        del sys.modules[_PARSERS]

__all__ = ["jupytext", "nbformat"]
