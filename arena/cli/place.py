"""The option --cluster: matches are played on the workers of a scheduler instead of this machine's processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click

from arena.cli.options import CLUSTER_WAIT
from arena.engine.executors import WAIT, Place, cluster_at


@contextlib.contextmanager
def place_of(address: str | None) -> Iterator[Place | None]:
    """Context manager: yields the cluster at `address`; without an address it yields None, which means this machine.

    The option --cluster-wait of the current command limits how long matches wait for workers.
    """
    if address is None:
        yield None
        return
    wait = click.get_current_context().meta.get(CLUSTER_WAIT, WAIT)
    with cluster_at(address, wait=wait, notify=lambda line: click.echo(line, err=True)) as cluster:
        click.echo(f"Dashboard: {cluster.dashboard}", err=True)
        yield cluster
