"""The option --cluster: matches are played on the workers of a scheduler instead of this machine's processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from arena.cli.translation import in_options
from arena.engine.executors import WAIT, Cluster, cluster_at


@contextlib.contextmanager
def cluster_of(address: str | None, wait: float | None) -> Iterator[Cluster | None]:
    """Context manager: yields the cluster at `address`; without an address it yields None, which means this machine.

    `wait` is the value of --cluster-wait: the number of seconds that matches wait for workers. None means 60.
    """
    if address is None:
        yield None
        return
    patience = WAIT if wait is None else wait
    with cluster_at(address, wait=patience, notify=lambda line: click.echo(in_options(line), err=True)) as cluster:
        click.echo(f"Dashboard: {cluster.dashboard}", err=True)
        yield cluster
