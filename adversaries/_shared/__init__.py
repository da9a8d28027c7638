"""Code that several adversaries share; no adversaries."""
