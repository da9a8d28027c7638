"""Generated bad input: command lines, data files, transcripts and folders of failures.

Each generator takes a number. The same number always gives the same input.
"""
