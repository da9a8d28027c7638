"""Runs the README's commands and code as they are written, in a fresh copy of the checkout.

Usage: python tests/readme.py, from an environment that has the package. `make test` is left out, since CI runs it
anyway.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXIT_CODE = re.compile(r"# exit code (\d+)")


def copy_checkout(to: Path) -> None:
    """Copy the files that git tracks, as in a fresh clone."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def run(command: str, folder: Path) -> None:
    """Run one command and check its exit code, which is 0 or the code in the command's comment."""
    expected = EXIT_CODE.search(command)
    environment_bin = sysconfig.get_path("scripts")
    script = f'PATH="{environment_bin}:$PATH"; {command}'
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    print(f"$ {command}\n{done.stdout}{done.stderr}", flush=True)
    if done.returncode != (int(expected[1]) if expected else 0):
        sys.exit(f"README: {command!r} ended with exit code {done.returncode}")


def main() -> None:
    """Run every block of code of the README, in order."""
    blocks = BLOCK.findall((ROOT / "README.md").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy_checkout(folder)
        for language, text in blocks:
            if language == "sh":
                for command in text.strip().splitlines():
                    if command != "make test":
                        run(command, folder)
                continue
            named = re.match(r"# (\w+\.py)\n", text)
            file = folder / (named[1] if named else "example.py")
            file.write_text(text)
            if file.name == "mine.py":
                continue  # a learner, played by the next command
            if file.name.startswith("test_"):
                run(f"pytest -q -c /dev/null --rootdir . {file.name}", folder)
            else:
                run(f"python {file.name}", folder)


if __name__ == "__main__":
    main()
