"""Figures for publications, drawn by matplotlib: sizes, colours, fonts, kinds of figures, and their files.

May call `errors` and the modules beside it: values come in as arrays and names. matplotlib is imported when it is
needed, and its `pyplot` never is, so that no figure is kept in a global list.
"""
