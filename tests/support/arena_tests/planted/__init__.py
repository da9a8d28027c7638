"""The catalogue of planted mistakes: players each of which is wrong in one known way.

`tests/README.md` lists the modules, and says how to add a mistake.
"""
