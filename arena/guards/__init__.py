"""Guards against users' code, which may raise any exception or never end; checks of paths; files; arrays on the disk.

May call `errors` and the modules beside it (`arrays` and `version`).
"""
