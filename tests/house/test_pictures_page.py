"""The numbers on the page that explains regret are the numbers of the game that it describes."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "regret-in-pictures.md").read_text()


def test_the_ten_rounds_cost_what_the_table_says():
    labels = [(-1) ** number for number in range(10)]
    repeated = sum((guess - label) ** 2 for guess, label in zip([0, *labels], labels, strict=False))
    best = min(sum((constant / 10 - label) ** 2 for label in labels) for constant in range(-10, 11))
    printed = re.search(r"= (\d+) \|\n\| the best constant.* \| (\d+) \|\n\| regret \| \| (\d+) \|", PAGE)
    assert [float(each) for each in printed.groups()] == [repeated, best, repeated - best]


def test_the_pictures_have_words_for_those_who_do_not_see_them():
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", PAGE)
    assert pictures
    assert all(words and (DOCS / place).is_file() for words, place in pictures)
