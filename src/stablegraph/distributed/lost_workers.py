"""A plugin of Dask's scheduler for the case that all workers die at the same moment.

The tasks of a graph in partitions prefer the worker that holds the partition, and any other worker may run them
(``allow_other_workers=True``). Dask applies the second part only when a task becomes ready. A task that becomes ready
while no worker is running waits for its preferred address, and a worker that dies returns under a new address.

Rule: a task for which the scheduler finds no worker, and which any worker may run, loses its preferred addresses. Dask
then gives it to the next worker that joins. The plugin acts at this event only, so it costs nothing otherwise.
"""

from __future__ import annotations

from typing import Any

from distributed import SchedulerPlugin


class DropPreferredWorkers(SchedulerPlugin):  # type: ignore[misc]
    """Remove the preferred addresses of tasks that no worker can take."""

    idempotent = True
    name = "stablegraph-drop-preferred-workers"

    async def start(self, scheduler: Any) -> None:
        """Keep the scheduler, whose tasks `transition` changes."""
        self._tasks = scheduler.tasks

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Act on a task that becomes ready and finds no worker."""
        if finish == "no-worker" and (task := self._tasks[key]).loose_restrictions:
            task.worker_restrictions = None
