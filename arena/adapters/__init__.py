"""Models of other libraries as learners, recognised by their methods; no library is imported to find out.

May call `players` and the rooms below it.
"""
