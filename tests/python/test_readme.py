"""The programs of the package's README run as they stand."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unittest
from unittest import mock

from support import PACKAGE, Daemon


def programs() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.S)


def check(test: unittest.TestCase, said: list[str]) -> None:
    """What the programs say, each after the ones before it."""
    test.assertEqual(len(said), 4)
    test.assertEqual(said[0], "pedestal went up by 0.5 m\n")
    test.assertRegex(said[1], r"^edit \d+\n$")
    test.assertRegex(said[2], r"Ada set \[5\]\n$")
    test.assertEqual(said[3], "node 3 (pedestal) is held by Ada\n")


class Readme(unittest.TestCase):
    def test_the_programs_run_as_they_stand(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.close)
        said = []
        with mock.patch.dict(os.environ, {"GIZMOD_URL": daemon.url}):
            for program in programs():
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(program, "README.md", "exec"), {"__name__": "__main__"})
                said.append(out.getvalue())
        check(self, said)

    def test_the_first_drag_takes_ten_lines(self) -> None:
        lines = [line for line in programs()[0].split("\n") if line.strip()]
        self.assertLessEqual(len(lines), 10)


if __name__ == "__main__":
    unittest.main()
