"""Guards around users' code, which may raise anything or never end, and users' paths, which may lead anywhere.

May call nothing but `errors`.
"""
