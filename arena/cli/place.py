"""The option --cluster: matches are played on the workers of a scheduler instead of this machine's processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from arena.engine.executors import Place, cluster_at


@contextlib.contextmanager
def place_of(address: str | None) -> Iterator[Place | None]:
    """Context manager: yields the cluster at this address; without an address None, which means this machine."""
    if address is None:
        yield None
        return
    with cluster_at(address) as cluster:
        click.echo(f"Dashboard: {cluster.dashboard}", err=True)
        yield cluster
