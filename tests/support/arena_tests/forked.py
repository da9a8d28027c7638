"""Python programs in processes that are forked from a server in which the arena is already imported.

A fork starts half a second faster than a new interpreter.

Run as a program, this file is the server. It reads requests from its standard input, one line of JSON each. For each
request it prints two lines: the process id of the fork, and the fork's exit code. A fork does what `python ARGUMENTS`
would do in the request's folder, with streams, signal handlers and exit functions of its own.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path

COMMANDS = ("check", "hunt", "judge", "play", "report", "tournament")
IMPORTED = (
    *(f"arena.cli.{name}" for name in COMMANDS),
    "arena.testing",
    "pytest",
    "river.linear_model",
    "scipy.spatial",
    "scipy.stats",
    "sklearn.linear_model",
)
AT_THE_START = ("PYTHON", "LC_", "LANG")  # how variables begin that an interpreter reads when it starts


class Forks:
    """A server from which `run` forks Python programs."""

    def __init__(self):
        self.environment = at_the_start()
        self.server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def run(self, *arguments, cwd, timeout=120):
        """Run `python ARGUMENTS` in the folder `cwd`; return the exit code and the output, as `subprocess.run` does."""
        words = [str(argument) for argument in arguments]
        if at_the_start() != self.environment:  # which only an interpreter of its own would read
            command = [sys.executable, *words]
            return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=timeout)
        with tempfile.TemporaryDirectory() as folder:
            streams = [str(Path(folder, name)) for name in ("stdout", "stderr")]
            request = {"words": words, "cwd": str(cwd), "streams": streams, "environment": dict(os.environ)}
            self.server.stdin.write(json.dumps(request).encode() + b"\n")
            pid = int(self.server.stdout.readline())
            if not select.select([self.server.stdout], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(words, timeout)
            code = int(self.server.stdout.readline())
            return subprocess.CompletedProcess(
                words, code, *(Path(stream).read_text(errors="backslashreplace") for stream in streams)
            )

    def end(self):
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()


def at_the_start():
    return {name: value for name, value in os.environ.items() if name.startswith(AT_THE_START)}


def serve():
    """Fork a process for each request on the standard input.

    In the forked process the function returns the request. In the server it returns None after the last request.
    """
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            return json.loads(line)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    return None


def run(words, cwd, streams, environment):
    """Do in this process what `python WORDS` would do in the folder `cwd`, with this environment.

    `streams` are the files for the standard output and the standard error.
    """
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, (path, how) in enumerate(
        [(os.devnull, os.O_RDONLY), *((each, os.O_RDWR | os.O_CREAT) for each in streams)]
    ):
        os.dup2(os.open(path, how, 0o600), number)
    if words[0] == "-m":
        sys.argv[:], sys.path[0] = words[1:], cwd
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv[:], sys.path[0] = ["-c", *words[2:]], ""
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(words[1], "<string>", "exec"), vars(main))
    else:
        sys.argv[:], sys.path[0] = words, str(Path(words[0]).parent.absolute())
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    for module in IMPORTED:
        importlib.import_module(module)
    # Otherwise each fork, as it ends, looks through all imported modules for garbage, which takes 0.2 seconds.
    gc.collect()
    gc.freeze()
    if (wanted := serve()) is not None:
        run(**wanted)
