"""Tests that share one set of tables. A build takes about as long for fifty addresses as for one. So each test of a module that is marked
`together` has an address of its own, and goes on until it asks for a build. When all wait, one build serves them all. A test that is
marked `alone` has the tables to itself.

Each test has a thread, because it waits in the middle of its body. Only one of them runs at a time.
"""

import re
from collections.abc import Callable
from contextvars import copy_context
from threading import Semaphore, Thread

import pytest
from warehouses import Warehouse
from world import Table


class Part:
    """The warehouse as one test sees it: the rows of its address, and the rows of nobody, which a World without a label counts as its own."""

    def __init__(self, warehouse: Warehouse, base_url: str, wait: Callable[[], None]):
        self.warehouse, self.base_url, self.wait = warehouse, base_url, wait
        self.tables: dict[str, list[dict]] = {}

    def fill(self, tables: dict[str, list[dict]]) -> None:
        self.tables = {name: list(rows) for name, rows in tables.items()}

    def build(self) -> None:
        self.wait()

    def all(self, sql: str) -> list[dict]:
        seen = rf"from (select * from \1 where base_url = '{self.base_url}' or base_url is null) as \1"
        return self.warehouse.all(re.sub(r"\bfrom (\w+)", seen, sql))


class Play:
    """A test, and how far it is."""

    def __init__(self, warehouse: Warehouse, number: int, item: pytest.Function):
        self.part = Part(warehouse, f"https://{number}.example.com", self.wait)
        given = {name: value for name, value in item.callspec.params.items() if name not in ("warehouse", "table")}
        table = Table(dedup=item.callspec.params["table"] == "dedup", base_url=self.part.base_url)
        self.test = lambda: item.function(warehouse=self.part, table=table, **given)
        self.failure: BaseException | None = None
        self.failed_build: Exception | None = None
        self.is_over = False
        self.turn, self.rest = Semaphore(0), Semaphore(0)
        # The copied context has the precision of decimals.
        self.thread = Thread(target=copy_context().run, args=(self.run,), daemon=True)
        self.thread.start()

    def run(self) -> None:
        self.turn.acquire()
        try:
            self.test()
        except BaseException as failure:
            self.failure = failure
        self.is_over = True
        self.rest.release()

    def wait(self) -> None:
        """The test waits for a build."""
        self.rest.release()
        self.turn.acquire()
        if self.failed_build:
            raise self.failed_build

    def go_on(self) -> None:
        """The test runs until it waits or is over."""
        self.turn.release()
        self.rest.acquire()


def is_together(item: pytest.Item) -> bool:
    return item.get_closest_marker("together") is not None and item.get_closest_marker("alone") is None


def play(warehouse: Warehouse, items: list[pytest.Function]) -> dict[str, BaseException | None]:
    """Runs the tests to their ends. Gives the failure of each."""
    plays = {item.nodeid: Play(warehouse, number, item) for number, item in enumerate(items)}
    running = list(plays.values())
    while running:
        for each in running:
            each.go_on()
        running = [each for each in running if not each.is_over]
        names = {name for each in running for name in each.part.tables}
        warehouse.fill({name: [row for each in running for row in each.part.tables.get(name, [])] for name in sorted(names)})
        try:
            warehouse.build()
        except Exception as failure:
            for each in running:
                each.failed_build = failure
    return {name: each.failure for name, each in plays.items()}
