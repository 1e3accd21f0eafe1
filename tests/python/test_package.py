"""The package as it is given away: it is built without a network, twice the same, and installed
beside nothing else; the programs of its README run as they stand."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PACKAGE, Daemon
from test_readme import check, programs

BUILD = "import sys; from flit_core import buildapi as b; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])"


def run(*words: str | Path, **more: object) -> str:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return str(done.stdout)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.env = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "PYTHONDONTWRITEBYTECODE": "1"}
        for name in ("a", "b"):  # of copies with other times
            source = cls.folder / name / "source"
            shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("dist", "__pycache__"))
            os.utime(source / "gizmod/wire.py", (10**9 + len(name), 10**9))
            run(sys.executable, "-c", BUILD, cls.folder / name, cwd=source, env=cls.env)
        cls.wheel = cls.folder / "a/gizmod-0.2.0-py3-none-any.whl"
        cls.sdist = cls.folder / "a/gizmod-0.2.0.tar.gz"

    def test_two_builds_have_the_same_bytes(self) -> None:
        for path in (self.wheel, self.sdist):
            other = self.folder / "b" / path.name
            self.assertEqual(*(hashlib.sha256(p.read_bytes()).hexdigest() for p in (path, other)))

    def test_the_archives_hold_what_they_should(self) -> None:
        names = set(run(sys.executable, "-m", "zipfile", "-l", self.wheel).split())
        for path in (PACKAGE / "gizmod").glob("*.py"):
            self.assertIn(f"gizmod/{path.name}", names)
        for name in ("gizmod/py.typed", "gizmod-0.2.0.dist-info/LICENSE"):
            self.assertIn(name, names)
        # What the source archive makes is the same wheel.
        run("tar", "-xzf", self.sdist, "-C", self.folder)
        source = self.folder / "gizmod-0.2.0"
        self.assertIn("Permission is hereby granted", (source / "LICENSE").read_text())
        run(sys.executable, "-c", BUILD, self.folder, cwd=source, env=self.env)
        self.assertEqual((self.folder / self.wheel.name).read_bytes(), self.wheel.read_bytes())

    def test_the_programs_of_the_readme_run_as_installed(self) -> None:
        venv = self.folder / "venv"
        run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv)
        python = venv / "bin/python3"
        pip = ("-m", "pip", "--python", str(python), "--disable-pip-version-check", "-q")
        run(sys.executable, *pip, "install", "--no-deps", "--no-index", "--no-compile", self.wheel)
        where = run(python, "-c", "import gizmod; print(gizmod.__file__)", cwd=self.folder)
        self.assertIn(str(venv), where)
        daemon = Daemon()
        self.addCleanup(daemon.close)
        said = []
        for program in programs():
            env = {**os.environ, "GIZMOD_URL": daemon.url}
            said.append(run(python, "-W", "error", "-c", program, cwd=self.folder, env=env))
        check(self, said)

    def test_the_types_are_strict(self) -> None:
        config = ("--config-file", PACKAGE / "pyproject.toml", "--cache-dir", os.devnull)
        paths = [PACKAGE / "gizmod"]
        for i, program in enumerate(programs()):
            paths.append(self.folder / f"program{i}.py")
            paths[-1].write_text(program)
        run("/usr/bin/mypy", *config, *paths, env={**os.environ, "MYPYPATH": str(PACKAGE)})


if __name__ == "__main__":
    unittest.main()
