"""What isolation costs: microseconds a round, measured side by side with the same match without it."""

import statistics
import time

from arena import play

MATCHES = [  # learner, adversary, rounds
    ("zero", "alternating", 20_000),
    ("kernel-awv", "repeated(points=50)", 20_000),
    ("zero", "contrarian", 2000),
    ("kernel-awv", "greedy(starts=4, polished=1, steps=2)", 150),
]
REPEATS = 5


def seconds(learner, adversary, rounds, *, isolate):
    started = time.perf_counter()
    play(learner, adversary, rounds=rounds, hindsight="none", isolate=isolate)
    return time.perf_counter() - started


def main():
    print("| learner | adversary | microseconds a round | isolated | more |\n| --- | --- | ---: | ---: | ---: |")
    for learner, adversary, rounds in MATCHES:
        pairs = [[seconds(learner, adversary, rounds, isolate=each) for each in (False, True)] for _ in range(REPEATS)]
        plain, apart = (statistics.median(column) * 1e6 / rounds for column in zip(*pairs, strict=True))
        print(f"| {learner} | {adversary} | {plain:.1f} | {apart:.1f} | {apart - plain:.1f} |")
    starts = [seconds("zero", "alternating", 1, isolate=True) for _ in range(20)]
    print(f"\nA match of one round, isolated: {statistics.median(starts) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
