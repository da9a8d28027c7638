"""The catalogue of planted mistakes: players that are wrong in one known way, by what is wrong with them.

`doses`: one file per kind of mistake, each loadable alone through a spec, each mistake in doses from gross to faint.
`contract`: players that break the rules which `arena check` checks.
"""
