import itertools
import shutil

import pytest
from postgres_server import PostgresServer
from spark_warehouse import SparkServer
from together import is_together, play
from warehouses import DuckDB, Postgres, Warehouse

SCHEMAS = itertools.count(1)
# The failures of tests that ran together, by the warehouse that they shared.
PLAYED: dict[Warehouse, dict[str, BaseException | None]] = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "together: the tests of the module share one set of tables and its builds")
    config.addinivalue_line("markers", "alone: the test has the tables to itself")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """The first of the tests that share a warehouse runs all of them; each of them then tells how it ended."""
    if not is_together(pyfuncitem):
        return None
    shared = pyfuncitem.funcargs["warehouse"]
    if shared not in PLAYED:
        kind = pyfuncitem.callspec.params["warehouse"]
        PLAYED[shared] = play(shared, [
            each for each in pyfuncitem.session.items
            if each.parent is pyfuncitem.parent and is_together(each) and each.callspec.params["warehouse"] == kind
        ])
    failure = PLAYED[shared][pyfuncitem.nodeid]
    if failure:
        raise failure
    return True


@pytest.fixture(scope="session")
def postgres():
    server = PostgresServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def spark():
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not here and cannot be installed")
    server = SparkServer()
    server.start()
    yield server.session
    server.stop()


def opened(kind: str, request, typed: bool):
    if kind == "duckdb":
        return DuckDB(typed)
    return Postgres(request.getfixturevalue("postgres").port, f"test_{next(SCHEMAS)}", typed)


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def warehouse(request):
    """Raw tables; a test fills them and builds the models."""
    opened_ = opened(request.param, request, typed=False)
    opened_.create_raw()
    yield opened_
    opened_.close()


@pytest.fixture(params=["append", "dedup"])
def table(request):
    from world import Table

    return Table(dedup=request.param == "dedup")
