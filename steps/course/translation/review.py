"""What a translation has lost or added, and departures from its style and glossary."""

import re
from collections import Counter

from . import catalogues
from .markdown import CODE, FORMULA, PARSER

LINK = re.compile(r"(?<=\]\()[^)\s]+(?=\))")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NUMERAL = re.compile(
    r"(?i)\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|"
    r"zeros?|ones|half|hundreds?|thousands?|million|first|second|third|once|twice|dozen)\b"
)
HAN = "[\u3400-\u9fff]"
CLUMSY = {
    "put a space between Chinese and code or Latin letters": (
        rf"{HAN}[A-Za-z0-9`$]|[A-Za-z0-9`%$]{HAN}"
    ),
    "use a Chinese mark after Chinese": rf"{HAN}[,;:?!]|{HAN}\.(?!\.)",
    "put no space beside a Chinese mark": r"[，。；：？！、（）] | [，。；：？！、）]",
}
# With spaces beside it, a star is a multiplication.
EMPHASIS = re.compile(rf"(?<!\*)\*(?![*\s])[^*]*{HAN}[^*]*(?<!\s)\*(?!\*)")
# In Chinese, its number may be a word.
SCALAR = re.compile(r"\b0-dimensional|\b0 维")


def list_complaints(language, name):
    """List what is wrong with the translations of a catalogue, one line each."""
    terms = read_glossary(language)
    complaints = []
    for (unit, context), translation in catalogues.read(language, name).items():
        if translation and translation != unit:
            faults = [*_compare(unit, translation, context)]
            faults += [*_find_clumsy(translation)]
            if context is None:
                faults += [*_find_marks(unit, translation)]
            faults += [*_find_other_terms(unit, translation, terms)]
            complaints += [f"{fault}: {translation[:60]}" for fault in faults]
    return complaints


def _compare(english, translation, context):
    fields = _find_fields(english)
    if context == catalogues.CODE and fields != _find_fields(translation):
        yield f"needs the fields {', '.join(fields)}"
    for kind, find in FINDERS.items():
        before, after = find(english), find(translation)
        lost, added = before - after, after - before
        if kind == "number" and NUMERAL.search(english):
            added.clear()  # "three by three" may become 3×3
        if lost:
            yield f"lost the {kind} {', '.join(lost)}"
        if added:
            yield f"added the {kind} {', '.join(added)}"


def _find_fields(text):
    return sorted(re.findall(r"\{[^{}]*\}", text))


def _count(pattern):
    return lambda text: Counter(match[0] for match in pattern.finditer(text))


def _count_numbers(text):
    for other in (CODE, FORMULA, LINK, SCALAR):
        text = other.sub("", text)
    return Counter(NUMBER.findall(re.sub(r"\{[^}]*\}", "", text)))


FINDERS = {
    "code": _count(CODE),
    "formula": _count(FORMULA),
    "link": _count(LINK),
    "number": _count_numbers,
}


def _find_clumsy(translation):
    bare = _strip(translation)
    for rule, pattern in CLUMSY.items():
        if found := re.search(pattern, bare):
            yield f"{rule} ({found[0]!r})"


def _strip(text):
    return re.sub(r"\{[^}]*\}", "{}", FORMULA.sub("$", CODE.sub("`", text)))


def _find_marks(english, translation):
    if found := EMPHASIS.search(_strip(translation)):
        yield f"put no emphasis on Chinese but bold ({found[0]!r})"
    if _count_stars(translation) > _count_stars(english):
        yield "the bold is not rendered: put it around the word alone"


def _count_stars(text):
    """Count the pairs of stars that are not rendered as bold."""
    children = (c for token in PARSER.parse(text) for c in token.children or ())
    return sum(c.content.count("**") for c in children if c.type == "text")


def read_glossary(language):
    """Read the glossary of a language: a dict from the English term to the accepted
    translations.
    """
    path = catalogues.LOCALE / language / "glossary.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE)
    terms = {english: local.split(" / ") for english, local in rows}
    return {term: words for term, words in terms.items() if re.match(r"[a-z]", term)}


def _find_other_terms(english, translation, terms):
    for term, words in terms.items():
        is_used = re.search(rf"\b{re.escape(term)}s?\b", _strip(english))
        if is_used and not any(word in translation for word in words):
            yield f"the glossary has {' or '.join(words)} for {term}"
