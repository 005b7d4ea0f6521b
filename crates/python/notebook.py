"""Makes a notebook of a page of the documentation: ``python notebook.py PAGE.md NOTEBOOK.ipynb``.

Blocks of Python are cells of code, and blocks of commands are cells that a shell executes. All
other text is between them. The page is what people edit; a test compares the notebook with it.
"""

import json
import sys

#: The first line of a cell that a shell executes.
SHELL = "%%sh\n"


def blocks(text):
    """The language (``None`` for text), the line before, and the text of each block."""
    language, first, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
            continue
        if lines:
            yield language, first, "\n".join(lines).strip("\n") + "\n"
        language, first, lines = (line[3:] if language is None else None), number, []
    if lines:
        yield language, first, "\n".join(lines).strip("\n") + "\n"


def commands(text):
    """The commands of a block of a console or a shell."""
    return [line.removeprefix("$ ") for line in text.splitlines()]


def cell(number, language, text):
    """A cell of a notebook."""
    kind = "markdown" if language is None else "code"
    if language in ("console", "sh"):
        text = SHELL + "\n".join(commands(text))
    lines = text.rstrip("\n").splitlines(keepends=True)
    made = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return made if kind == "markdown" else {**made, "execution_count": None, "outputs": []}


def notebook(text):
    """The notebook of a page, as its file has it."""
    cells = [cell(at, language, block) for at, (language, _, block) in enumerate(blocks(text))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def main(page, file):
    """Writes the notebook."""
    with open(page, encoding="utf-8") as source:
        made = notebook(source.read())
    with open(file, "w", encoding="utf-8") as out:
        out.write(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
