"""Guards against users' code, which may raise any exception or never end, and checks of users' paths.

May call nothing but `errors`.
"""
