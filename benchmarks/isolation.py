"""What isolation costs: microseconds a round and milliseconds a match, side by side with the match without it."""

import statistics
import time

from arena import play
from arena.engine.isolation import Isolation, layer

MATCHES = [  # learner, adversary, rounds
    ("zero", "alternating", 20_000),
    ("kernel-awv", "repeated(points=50)", 20_000),
    ("zero", "contrarian", 2000),
    ("kernel-awv", "greedy(starts=4, polished=1, steps=2)", 150),
]
REPEATS = 5
LAYERS = {"bubblewrap": Isolation(), "resource limits": Isolation(bubblewrap=False)}


def seconds(learner, adversary, rounds, isolate):
    started = time.perf_counter()
    play(learner, adversary, rounds=rounds, hindsight="none", isolate=isolate)
    return time.perf_counter() - started


def main():
    print(f"In force: {layer()}\n")
    starts = {}
    for name, limits in LAYERS.items():
        starts[name] = statistics.median(
            seconds("zero", "alternating", 1, limits) - seconds("zero", "alternating", 1, None) for _ in range(10)
        )
        print(f"A match starts {starts[name] * 1e3:.0f} ms later with {name}")
    print("\n| learner | adversary | microseconds a round |", " | ".join(f"more with {name}" for name in LAYERS), "|")
    print("| --- | --- | ---: | ---: | ---: |")
    for learner, adversary, rounds in MATCHES:
        sets = [
            [seconds(learner, adversary, rounds, each) for each in (None, *LAYERS.values())] for _ in range(REPEATS)
        ]
        plain = statistics.median(row[0] for row in sets)
        more = [
            statistics.median(row[1 + place] - row[0] - start for row in sets)
            for place, start in enumerate(starts.values())
        ]
        cells = " | ".join(f"{each * 1e6 / rounds:.1f}" for each in (plain, *more))
        print(f"| {learner} | {adversary} | {cells} |")


if __name__ == "__main__":
    main()
