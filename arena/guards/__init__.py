"""Guards against users' code, which may raise any exception or never end.

The modules also check paths, write files whole or not at all, and keep large arrays on the disk.

May call `errors` and the modules beside it (`arrays` and `version`).
"""
