"""Strategies for bad input: command lines, data files, transcripts and folders of failures."""
