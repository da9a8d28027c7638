"""Times of the program as ratios, measured side by side in one run: `python -m benchmarks`.

| module | what it holds |
| --- | --- |
| `measuring` | the clock, interleaved measurement, ratios with their spread |
| `machine` | the machine's own rates, in which learners' work is expressed |
| `learners`, `opponents`, `judges`, `engine`, `growing`, `memory` | what is measured |
| `printed` | papers' pseudo-code in plain NumPy |
| `baseline` | the ratios kept in the repository, and the check against them |
| `page` | docs/results/speed.md |
"""
