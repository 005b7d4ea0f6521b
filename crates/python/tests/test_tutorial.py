"""The tutorial is true: its commands and its code run, in their order."""

import os
import subprocess
import tempfile
import unittest

from pompeii import _command

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def blocks(text):
    """The language, the first line and the text of each block."""
    language, first, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
            continue
        if language is None:
            language, first, lines = line[3:], number, []
        else:
            yield language, first, "\n".join(lines) + "\n"
            language = None


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
        page = os.path.join(PROJECT, "docs", "python.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.symlink(os.path.abspath(os.path.join(PROJECT, "examples")), folder.name + "/examples")
        own = os.path.dirname(_command.executable())
        os.environ["PATH"] = own + os.pathsep + os.environ["PATH"]
        os.chdir(folder.name)
        names, kinds = {}, []
        for language, line, block in blocks(text):
            kinds.append(language)
            if language in ("console", "sh"):
                for command in block.splitlines():
                    subprocess.run(["sh", "-c", command.removeprefix("$ ")], check=True)
            elif language == "python":
                # An error names the line of the page.
                exec(compile("\n" * line + block, page, "exec"), names)
        self.assertGreater(kinds.count("python"), 5)
        self.assertEqual((kinds.count("console"), kinds.count("sh")), (1, 1))


if __name__ == "__main__":
    unittest.main()
