"""Plays the matches of the errata again: `python -m arena.papers.errata FOLDER`."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np

from arena.papers.errata import ERRATA
from arena.record.storage import save_transcript


def main() -> None:
    """Play each erratum's match, and write its transcript into the folder that the command names."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python -m arena.papers.errata FOLDER, an existing folder")
    for erratum in ERRATA:
        run = erratum.play()
        run = dataclasses.replace(run, seconds=np.zeros(run.rounds))  # times differ from run to run
        judged = erratum.judged(run)
        path = save_transcript(run, Path(sys.argv[1]) / erratum.file, compressed=True)
        print(f"{path}: {path.stat().st_size:,} bytes\n  {judged.printed}\n  {judged.corrected}")


if __name__ == "__main__":
    main()
