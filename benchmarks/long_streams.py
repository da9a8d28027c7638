"""Cost of matches of five million rounds: rounds from CSV and Parquet files, compared with rounds in memory.

    python benchmarks/long_streams.py [--rounds 5000000] [--columns 18] [--hindsight interval] [--folder FOLDER]

The script first writes the files (half a GiB each). Each match is played in a process of its own, and the table has the
largest memory of this process. Finally a match is killed half-way, and the same command is given again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LEARNER = "fogd(frequencies=50)"
KERNEL = "gaussian(bandwidth=4)"
CHILD = """
import json, resource, sys, time
import numpy as np, arena
how, source, rounds, mode, killed = sys.argv[1:]
from arena.adversaries.replay import Replay
if how == "memory":
    table = np.load(source)
    adversary = Replay(X=table[:, :-1], y=table[:, -1])
    del table
else:
    adversary = f"replay(file={source})"
last = [0.0]
def progress(done):
    if killed != "0" and done >= int(killed):
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
started, cpu = time.perf_counter(), time.process_time()
run = arena.play(LEARNER, adversary, rounds=int(rounds), hindsight=mode, kernel=KERNEL, progress=progress)
verdicts = [str(each) for each in run.verdicts(["awv-logdet"])] if mode != "none" else []
print(json.dumps({
    "seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu, "loss": run.loss,
    "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "regret": run.final_regret, "verdicts": verdicts,
}))
""".replace("LEARNER", repr(LEARNER)).replace("KERNEL", repr(KERNEL))


def write_files(folder: Path, rounds: int, columns: int) -> None:
    """Write the same random rows to table.csv, table.parquet and table.npy."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    direction, names = rng.normal(size=columns), [*(f"x{j + 1}" for j in range(columns)), "label"]
    schema = pyarrow.schema([(name, pyarrow.float64()) for name in names])
    path = folder / "table.npy"
    table = np.lib.format.open_memmap(path, mode="w+", dtype=float, shape=(rounds, columns + 1))
    csv = pyarrow.csv.CSVWriter(folder / "table.csv", schema)
    with csv, pyarrow.parquet.ParquetWriter(folder / "table.parquet", schema) as parquet:
        for start in range(0, rounds, 50_000):
            rows = min(50_000, rounds - start)
            X = np.round(2.0 * rng.normal(size=(rows, columns)) + 1.0, 4)
            y = np.round(np.sin(0.2 * X @ direction) + 0.3 * rng.normal(size=rows), 4)
            table[start : start + rows] = part = np.column_stack([X, y])
            chunk = pyarrow.table({name: part[:, j].copy() for j, name in enumerate(names)}, schema=schema)
            csv.write(chunk)
            parquet.write_table(chunk)


def play(folder: Path, how: str, source: str, rounds: int, mode: str, killed: int = 0) -> dict[str, object]:
    """Play a match in a process of its own and return its numbers.

    With `killed` the process is killed after this number of rounds, and the result is empty.
    """
    environment = {**os.environ, "REGRET_ARENA_CACHE": str(folder / "cache")}
    words = [sys.executable, "-c", CHILD, how, source, str(rounds), mode, str(killed)]
    result = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if killed:
        assert result.returncode == -signal.SIGKILL, result.stderr
        return {}
    assert result.returncode == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def main() -> None:
    """Write the files, play the matches and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=18)
    parser.add_argument("--folder", type=Path, help="where the files are kept; they are written if they are missing")
    parser.add_argument("--hindsight", choices=["none", "interval"], default="none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if not (folder / "table.npy").exists():
            folder.mkdir(parents=True, exist_ok=True)
            # in another process: the largest memory of this one would count for the matches that it starts
            writer = multiprocessing.get_context("spawn").Process(
                target=write_files, args=(folder, given.rounds, given.columns)
            )
            writer.start()
            writer.join()
        print(f"{LEARNER}, {given.rounds:,} rounds x {given.columns}, hindsight {given.hindsight}\n")
        print("| from | seconds | CPU seconds | largest memory, MiB | times memory | loss |\n|---|--:|--:|--:|--:|--:|")
        base = 0.0
        rows = [("memory", "table.npy"), ("CSV, first time", "table.csv"), ("CSV, prepared", "table.csv"),
                ("Parquet, first time", "table.parquet"), ("Parquet, prepared", "table.parquet"),
                ("npy, mapped", "table.npy")]  # fmt: skip
        for name, source in rows:
            found = play(folder, "memory" if name == "memory" else "file", source, given.rounds, given.hindsight)
            base = base or float(found["cpu"])  # type: ignore[arg-type]
            print(
                f"| {name} | {found['seconds']:.1f} | {found['cpu']:.1f} | {found['MiB']:.0f} "
                f"| {found['cpu'] / base:.2f} | {found['loss']:.9g} |",
                flush=True,
            )  # type: ignore[operator]
        started = time.perf_counter()
        play(folder, "file", "table.csv", given.rounds, "none", killed=given.rounds // 2)
        killed = time.perf_counter() - started
        found = play(folder, "file", "table.csv", given.rounds, "none")
        print(f"\nkilled after {given.rounds // 2:,} rounds ({killed:.1f} s), continued in {found['seconds']:.1f} s")
        print(f"loss {found['loss']:.9g}, {found['MiB']:.0f} MiB")


if __name__ == "__main__":
    main()
