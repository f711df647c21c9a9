"""The table in docs/from-pytorch.md, made from the answers of
`dezero_lite.from_pytorch`.

``python -m tests.support.pytorch_table`` writes it into the page.
"""

from pathlib import Path

from dezero_lite.from_pytorch import ARGUMENTS, ATTRIBUTES

PAGE = Path(__file__).parents[2] / "docs" / "from-pytorch.md"
BEGIN = "| in PyTorch | here |\n| :--- | :--- |\n"
# The prefix of a name, by the part of the table that it is in.
BEFORE = {
    "dezero_lite": "torch.",
    "dezero_lite.cuda": "torch.cuda.",
    "dezero_lite.functions": "F.",
    "dezero_lite.layers": "nn.",
    "dezero_lite.optimizers": "optim.",
    "Layer": "model.",
    "Optimizer": "optimizer.",
    "Variable": "x.",
}
CALLS = {
    "Layer": "nn.…",
    "Optimizer": "optim.…",
    "Variable": "torch.tensor",
}
CALLS["backward"] = "y.backward"


def make_table():
    """Make a row for each answer, with all the PyTorch names that it is given for."""
    names = {}
    for kind, before in BEFORE.items():
        for name, answer in ATTRIBUTES[kind].items():
            names.setdefault(answer, []).append(f"`{before}{name}`")
    for kind, rows in ARGUMENTS.items():
        for name, answer in rows.items():
            names.setdefault(answer, []).append(f"`{CALLS.get(kind, kind)}({name}=)`")
    rows = [f"| {', '.join(found)} | {answer} |" for answer, found in names.items()]
    return BEGIN + "\n".join(rows) + "\n"


def replace_table(text):
    """Return the text of the page with the current table."""
    before, _, after = text.partition(BEGIN)
    rest = after.partition("\n\n")[2]
    return before + make_table() + (f"\n{rest}" if rest else "")


if __name__ == "__main__":
    text = replace_table(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    print(f"Wrote {PAGE.name}.")
