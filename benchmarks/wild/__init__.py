"""The table of public models, docs/in-the-wild.md: `python -m benchmarks.wild`.

The module `catalogue` lists the models. The folder `glue` has wrappers of libraries that no adapter of the arena
covers. `measuring` measures one model. `running` measures all of them in parallel and keeps the results in files.
`page` makes the page.
"""
