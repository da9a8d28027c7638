"""Run the benchmarks of speed: python -m benchmarks --help."""

import sys

from .speed.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
