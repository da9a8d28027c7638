"""The table of public models, docs/in-the-wild.md: `python -m benchmarks.wild`.

`catalogue` lists the models, `glue` holds the classes for libraries without an adapter, `measuring` measures one model,
`running` measures all of them in the pool of processes and keeps what is done, and `page` writes the page.
"""
