"""Figures for publications, drawn by matplotlib: sizes, colours, fonts, kinds of figures, and their files.

Calls nothing but errors and versions: values come in as arrays and names. matplotlib is imported when it is needed,
and its `pyplot` never is, so that no figure is kept in a global list.
"""
