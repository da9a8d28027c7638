"""Generated bad input: command lines, data files, transcripts and folders of failures, each from a number alone."""
