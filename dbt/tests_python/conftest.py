import itertools
import shutil

import pytest
from postgres_server import PostgresServer
from spark_warehouse import SparkServer
from warehouses import DuckDB, Postgres

SCHEMAS = itertools.count(1)


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
