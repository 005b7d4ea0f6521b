"""The tutorial is true: its commands and its code run, in their order."""

import os
import subprocess
import sys
import tempfile
import unittest

from common import module
from pompeii import _command

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PAGE = os.path.join(PROJECT, "docs", "python.md")
sys.path.insert(0, os.path.join(PROJECT, "crates", "python"))

import notebook  # noqa: E402


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.addCleanup(os.chdir, self.before)
        self.variables = dict(os.environ)
        self.addCleanup(self.restore)

    def restore(self):
        os.environ.clear()
        os.environ.update(self.variables)

    def test_the_tutorial_runs(self):
        module("matplotlib").use("agg")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.symlink(os.path.abspath(os.path.join(PROJECT, "examples")), folder.name + "/examples")
        own = os.path.dirname(_command.executable())
        os.environ["PATH"] = own + os.pathsep + os.environ["PATH"]
        os.chdir(folder.name)
        names, kinds = {}, []
        for language, line, block in notebook.blocks(read(PAGE)):
            kinds.append(language)
            if language in ("console", "sh"):
                for command in notebook.commands(block):
                    subprocess.run(["sh", "-c", command], check=True)
            elif language == "python":
                # An error names the line of the page.
                exec(compile("\n" * line + block, PAGE, "exec"), names)
        self.assertGreater(kinds.count("python"), 12)
        self.assertEqual((kinds.count("console"), kinds.count("sh")), (4, 1))

    def test_the_notebook_is_the_page(self):
        made = notebook.notebook(read(PAGE))
        same = read(os.path.splitext(PAGE)[0] + ".ipynb") == made
        how = "python crates/python/notebook.py docs/python.md docs/python.ipynb"
        self.assertTrue(same, f"docs/python.ipynb is not that of docs/python.md: call {how}")

    def test_text_commands_and_code_are_cells(self):
        page = "# T\n\n```console\n$ one\n$ two\n```\nText.\n```python\na = 1\n\nb = 2\n```\n"
        self.assertEqual(
            list(notebook.blocks(page)),
            [
                (None, 0, "# T\n"),
                ("console", 3, "$ one\n$ two\n"),
                (None, 6, "Text.\n"),
                ("python", 8, "a = 1\n\nb = 2\n"),
            ],
        )
        cells = [notebook.cell(0, language, text) for language, _, text in notebook.blocks(page)]
        self.assertEqual([it["cell_type"] for it in cells], ["markdown", "code"] * 2)
        self.assertEqual(cells[1]["source"], ["%%sh\n", "one\n", "two"])
        self.assertEqual(cells[3]["source"], ["a = 1\n", "\n", "b = 2"])


if __name__ == "__main__":
    unittest.main()
