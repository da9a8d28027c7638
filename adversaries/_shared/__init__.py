"""Code that several adversaries share; there are no adversaries in this folder."""
