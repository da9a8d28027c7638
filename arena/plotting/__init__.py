"""Figures for publications, drawn by matplotlib: sizes, colours, fonts, kinds of figures, and their files.

May call `errors` and the modules beside it (`arrays` and `version`): figures are made of arrays and names alone.
matplotlib is imported when it is needed. Its module `pyplot` is never imported, so that no figure is kept in a global
list.
"""
