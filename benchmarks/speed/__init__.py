"""Times of the program as ratios, measured side by side in one run: `python -m benchmarks`.

| module | what it holds |
| --- | --- |
| `measuring` | the clock, interleaved measurement, ratios with their quartiles |
| `machine` | how fast the machine multiplies matrices, computes exponentials and copies memory |
| `learners`, `opponents`, `judges`, `engine`, `growing`, `memory` | what is measured |
| `printed` | papers' pseudo-code in plain NumPy |
| `baseline` | the ratios kept in the repository, and the comparison with them |
| `page` | the text of docs/results/speed.md |
"""
