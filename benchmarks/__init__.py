"""Measurements at full size: what the program costs, and the pages of docs that they write."""
