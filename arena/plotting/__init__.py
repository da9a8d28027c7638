"""Figures for publications, drawn by matplotlib: sizes, colours, fonts, kinds of figures, and their files.

May call `errors` and the modules beside it (`arrays` and `version`).

matplotlib is imported when it is needed. `pyplot`, which keeps figures in a global list, is never imported.
"""
