"""The theorems that matches are judged by, one file for each family of algorithms.

May call `components` and the rooms below it.
"""
