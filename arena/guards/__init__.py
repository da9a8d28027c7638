"""Guards around what users give: code that may raise anything or never end, and paths that may lead anywhere.

May call nothing but `errors`.
"""
