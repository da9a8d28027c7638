"""Benchmarks of speed and memory: the program's times, compared with times of alternatives measured in the same run.

The command `python -m benchmarks` runs these benchmarks and prints ratios of the times.

| module | what it holds |
| --- | --- |
| `measuring` | the clock, interleaved measurement, ratios with their quartiles |
| `machine` | how fast the machine multiplies matrices, computes exponentials and copies memory |
| `learners`, `opponents`, `judges`, `engine`, `growing`, `memory` | what is measured |
| `printed` | papers' pseudo-code in plain NumPy |
| `baseline` | the ratios kept in the repository, and the comparison with them |
| `page` | the text of docs/results/speed.md |
"""
