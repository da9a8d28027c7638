"""What is known of a match: the transcript, what a theorem is, the verdict, the file format.

May call `hindsight` and the rooms below it.
"""
