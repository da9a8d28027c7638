"""The catalogue of planted mistakes: players that are wrong in one known way, by what the mistake is planted in.

`tests/README.md` says what stands in which module, and how to add a mistake.
"""
