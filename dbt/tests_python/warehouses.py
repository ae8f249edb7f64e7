"""DuckDB and PostgreSQL behind one interface: it takes raw tables and gives the rows of the models."""

import fcntl
import hashlib
import json
import os
import re
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from unittest.mock import patch

import duckdb
import psycopg2

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dbt"
SQL = ROOT / "sql"


def record_columns(dataset: str) -> list[str]:
    schema = json.loads((ROOT / "schemas" / f"{dataset}.json").read_text())
    return [*schema["properties"], "x_ReadingId", "x_ProviderColumns"]


COLUMNS = {
    "usage": record_columns("usage"),
    "costs": record_columns("costs"),
    "export_windows": (
        "reading_id dataset granularity account base_url window_start window_end day inside_window covered_from "
        "covered_through began_at ended_at resumed first_as_of last_as_of moved records totals "
        "id chain rows_reading_id rows shrunk confirmed whole_window pass_began_at earlier_ended"
    ).split(),
    "labels": "id label value name is_archived read_at".split(),
}
INSTANTS = set(
    "x_RecordUpdatedAt ChargePeriodStart ChargePeriodEnd BillingPeriodStart BillingPeriodEnd window_start window_end "
    "covered_from covered_through began_at ended_at first_as_of last_as_of pass_began_at read_at".split()
)
OTHER_TYPES = {
    "day": "date",
    **dict.fromkeys(["inside_window", "whole_window", "earlier_ended", "resumed", "moved", "shrunk", "confirmed", "is_archived"], "boolean"),
    **dict.fromkeys(["records", "rows"], "bigint"),
}

sys.path.insert(0, str(PACKAGE))
from compile import BOOKS, INPUTS, book_table, close_statements, input_table, nodes_of, views  # noqa: E402


@cache
def sources() -> bytes:
    """All files that decide how the models are compiled."""
    files = [file for folder in ("models", "macros", "analyses", "tests") for file in PACKAGE.glob(f"{folder}/**/*")]
    kept = sorted(file for file in [*files, *PACKAGE.glob("*.*")] if file.is_file())
    return b"".join(str(file).encode() + file.read_bytes() for file in kept)


@cache
def nodes(target: str, **variables: str) -> dict:
    """The compiled project. It is kept from run to run until a source changes, because dbt takes longer than most files of tests."""
    asked = json.dumps([target, variables], sort_keys=True).encode()
    file = ROOT / ".cache" / "models" / f"{hashlib.sha256(asked + sources()).hexdigest()}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for other in file.parent.iterdir():
        if time.time() - other.stat().st_mtime > 7 * 86_400:
            other.unlink(missing_ok=True)
    # Another process that wants the same file waits for it, because both would take twice as long.
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            part = file.with_suffix(".part")
            part.write_text(json.dumps(nodes_of(target, **variables)))
            part.rename(file)
    return json.loads(file.read_text())


@cache
def views_of(target: str, **variables: str) -> str:
    return views(target, nodes(target, **variables), ())


# The settings whose default the other tests have. One compiled project has them all, because a project takes long to compile.
OTHER_SETTINGS = {"ai_billing_corrections": "replacing", "ai_billing_reporting_currency": "EUR"}


@cache
def models_of(text: str) -> dict[str, tuple[str, frozenset[str]]]:
    """The models of a file of plain views by name: the code of a model, and all models that it needs. A model comes after those
    that it needs."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for name, code in re.findall(r"^create (?:or replace )?view (\w+) as\n(.*?);\n(?=\n|\Z)", text, re.DOTALL | re.MULTILINE):
        read = [found[word][1] | {word} for word in set(re.findall(r"\w+", code)) & found.keys()]
        found[name] = code, frozenset().union(*read)
    return found


class Warehouse:
    """A schema with raw tables. `typed`: whether instants are timestamps with a zone, or text; destinations do one or the other."""

    name: str
    text: str
    json: str

    def __init__(self, typed: bool):
        self.typed = typed
        self.text_of_models = ""
        # Models that wait for the first query that needs them, and models that are tables already.
        self.waiting: set[str] = set()
        self.made: set[str] = set()
        # Whether the models were made of other rows than the tables have now.
        self.is_stale = True
        self.doubts: list[dict] = []

    def create_raw(self) -> None:
        for table, columns in COLUMNS.items():
            spelled = ", ".join(f'"{column}" {self.type_of(column)}' for column in columns)
            self.run(f'create table "{table}" ({spelled}, "_airbyte_extracted_at" timestamp with time zone)')
        for name in INPUTS:
            self.run(input_table(self.name, name))
        self.create_books()

    def create_books(self) -> None:
        """Tables of the books without rows; with dbt they are models."""
        for name in BOOKS:
            self.run(f"drop table if exists ai_billing_{name}")
            self.run(book_table(self.name, name, nodes(self.name)))

    def close_book(self, view: str, month: str, at: str, *, accrue: bool = False, why: str | None = None) -> list[dict]:
        """Closes a month; with a `why`, closes it again. Returns the obstacles that forbid the close although accruals may stand
        for what is not certain: then nothing is closed. `doubts` has all obstacles."""
        [held] = self.all(f"select coalesce(max(version), 0) as newest from ai_billing_closes where book_view = '{view}' "
                          f"and book_month = date '{month}-01'")
        version = max(2, held["newest"] + 1) if why else 1
        reason = f"'{why}'" if why else "null"
        self.run("insert into ai_billing_closes (close_id, book_view, book_month, version, closed_at, with_accruals, why) values ("
                 f"'{view} {month} v{version}', '{view}', date '{month}-01', {version}, timestamp '{at}', {accrue}, {reason})")
        self.build_books()
        found = self.all("select * from ai_billing__book_obstacles order by number_, month, day, account")
        self.doubts = found
        obstacles = [row for row in found if not (accrue and row["is_accruable"])]
        if obstacles:
            self.run("delete from ai_billing_closes where digest is null")
        else:
            statements = close_statements(self.name, nodes(self.name))
            self.make(self.waiting & set(re.findall(r"\w+", statements)))
            self.run(statements)
        self.build_books()
        return obstacles

    def type_of(self, column: str) -> str:
        if column in INSTANTS:
            return "timestamp with time zone" if self.typed else self.text
        return self.json if column in ("totals", "x_ProviderColumns") else OTHER_TYPES.get(column, self.text)

    def fill(self, tables: dict[str, list[dict]]) -> None:
        """Replaces the rows of the raw tables. A row may lack columns."""
        self.forget()
        for table, rows in tables.items():
            columns = [*COLUMNS[table], "_airbyte_extracted_at"]
            self.run(f'delete from "{table}"')
            self.insert(table, columns, [tuple(self.value(row.get(c)) for c in columns) for row in rows])

    def give(self, **inputs: list[tuple[str | None, ...]]) -> None:
        """Replaces the rows of all input tables; an input that is not named becomes empty. A row may lack its last columns."""
        self.forget()
        for name, columns in INPUTS.items():
            self.run(f"delete from ai_billing_{name}")
            rows = [(*row, *[None] * (len(columns) - len(row))) for row in inputs.get(name, [])]
            self.insert(f"ai_billing_{name}", columns, rows)

    def forget(self) -> None:
        """A model that was not made yet would have the new rows: a query of it now fails."""
        self.waiting.clear()
        self.is_stale = True

    @staticmethod
    def value(value):
        return json.dumps(value) if isinstance(value, list | dict) else value

    def plain_views(self) -> None:
        """Runs the file of plain views. Each view is read as soon as it stands, and becomes a table for those that follow, because a
        database plans views over views for minutes."""
        file = (SQL / f"{self.name}.sql").read_text()
        for statement in re.split(r"^(?=create (?:or replace )?view )", file, flags=re.MULTILINE):
            self.run(statement)
            for name in models_of(statement):
                self.run(f"create table made as select * from {name}; drop view {name}; alter table made rename to {name}")

    def build(self, text: str | None = None) -> None:
        """Each model becomes a table, as with dbt. A model is computed once, and not before a query names it or a model that
        needs it."""
        for name in self.made:
            self.run(f"drop table {name}")
        self.made.clear()
        self.text_of_models = text or views_of(self.name)
        self.waiting = set(models_of(self.text_of_models))
        self.is_stale = False

    def build_books(self) -> None:
        """Like `build` after a change of the books alone: models that read no book keep their rows."""
        if self.is_stale:
            return self.build()
        models = models_of(self.text_of_models)
        of_books = {name for name, (code, needed) in models.items()
                    if re.search(rf"\bai_billing_({'|'.join(BOOKS)})\b", " ".join([code, *(models[each][0] for each in needed)]))}
        for name in self.made & of_books:
            self.run(f"drop table {name}")
        self.made -= of_books
        self.waiting |= of_books

    def build_all(self, text: str | None = None) -> None:
        """Like `build`, but computes every model now: no model may fail on these rows."""
        self.build(text)
        self.make(self.waiting)

    def make(self, names: set[str]) -> None:
        models = models_of(self.text_of_models)
        needed = names.union(*(models[name][1] for name in names))
        for name, (code, _) in models.items():
            if name in needed & self.waiting:
                self.run(f"create table {name} as {code}")
                self.waiting.remove(name)
                self.made.add(name)

    def models(self) -> list[str]:
        return list(models_of(views_of(self.name)))

    def all(self, sql: str) -> list[dict]:
        self.make(self.waiting & set(re.findall(r"\w+", sql)))
        cursor = self.cursor()
        cursor.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def columns(self, name: str) -> list[str]:
        self.make(self.waiting & {name})
        cursor = self.cursor()
        cursor.execute(f"select * from {name} limit 0")
        return [column[0] for column in cursor.description]

    def run(self, sql: str) -> None:
        self.cursor().execute(sql)


class DuckDB(Warehouse):
    name, text, json = "duckdb", "varchar", "json"

    def __init__(self, typed: bool = False, path: str = ":memory:"):
        super().__init__(typed)
        self.connection = duckdb.connect(path)
        self.run("set threads = 1")
        self.run("set timezone = 'Asia/Kathmandu'")  # nothing may depend on the session's zone

    def cursor(self):
        return self.connection.cursor()

    def insert(self, table, columns, rows) -> None:
        """The rows go through a file, because thousands of parameters take seconds."""
        if not rows:
            return
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            for row in rows:
                file.write(json.dumps(dict(zip(columns, row)), default=str) + "\n")
            file.flush()
            read = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
            names = ", ".join(f'"{column}"' for column in columns)
            self.run(f"insert into \"{table}\" select {names} from read_json('{file.name}', "
                     f"format = 'newline_delimited', columns = {{{read}}})")

    def close(self) -> None:
        self.connection.close()


class Postgres(Warehouse):
    name, text, json = "postgres", "text", "jsonb"

    def __init__(self, port: int, schema: str, typed: bool = False):
        super().__init__(typed)
        self.port = port
        self.connection = psycopg2.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres")
        self.connection.autocommit = True
        self.run(f'drop schema if exists "{schema}" cascade; create schema "{schema}"')
        self.run(f"set search_path to \"{schema}\"; set timezone to 'Asia/Kathmandu'; set datestyle to 'ISO, DMY'")
        # New tables have no statistics. The planner then takes tables for small, and compares each row with each other row. dbt's
        # connections, and those of the report, keep the defaults.
        self.run("set enable_nestloop to off; set jit to off")

    def cursor(self):
        return self.connection.cursor()

    def insert(self, table, columns, rows) -> None:
        if rows:
            from psycopg2.extras import execute_values

            with self.connection.cursor() as cursor:
                execute_values(cursor, f'insert into "{table}" values %s', rows)

    def close(self) -> None:
        self.connection.close()


def dbt_here(environment: dict[str, str], *command: str, parsed=None):
    """Runs dbt in this process, because a process for each command takes seconds to load. `parsed`: the result of `dbt parse`, so
    that dbt does not parse again."""
    from dbt.cli.main import dbtRunner

    with patch.dict(os.environ, {**environment, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}):
        # Nobody reads the log of a test, and the result has the errors.
        silent = ["--log-level", "none", "--log-level-file", "none"]
        result = dbtRunner(manifest=parsed).invoke([*silent, *(str(word) for word in command)])
    results = getattr(result.result, "results", [])
    failed = [f"{getattr(each, 'node', each).unique_id}: {each.message}" for each in results if each.status in ("error", "fail")]
    assert result.success, failed or result.exception
    return result.result
