"""Code that several adversaries share; the folder holds no adversaries."""
