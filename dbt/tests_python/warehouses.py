"""DuckDB and PostgreSQL behind one face: raw tables in, rows of the models out."""

import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import duckdb
import psycopg2

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dbt"
SQL = ROOT / "sql"


def record_columns(dataset: str) -> list[str]:
    schema = json.loads((ROOT / "schemas" / f"{dataset}.json").read_text())
    return [*schema["properties"], "x_ReadingId"]


COLUMNS = {
    "usage": record_columns("usage"),
    "costs": record_columns("costs"),
    "export_windows": (
        "reading_id dataset granularity account base_url window_start window_end day inside_window covered_from "
        "covered_through began_at ended_at resumed first_as_of last_as_of moved records totals "
        "id chain rows_reading_id rows shrunk confirmed whole_window pass_began_at"
    ).split(),
}
INSTANTS = set(
    "x_RecordUpdatedAt ChargePeriodStart ChargePeriodEnd BillingPeriodStart BillingPeriodEnd window_start window_end "
    "covered_from covered_through began_at ended_at first_as_of last_as_of pass_began_at".split()
)
OTHER_TYPES = {
    "day": "date",
    **dict.fromkeys(["inside_window", "whole_window", "resumed", "moved", "shrunk", "confirmed"], "boolean"),
    **dict.fromkeys(["records", "rows"], "bigint"),
}

# The steps that current rows need, in order.
STEPS = ("rows", "chains", "placed", "days", "strays", "judged", "sums", "removed", "completeness")
CHAIN = ["ai_billing__manifest", *(f"ai_billing__{step}_%s" for step in STEPS), "current_%s"]


sys.path.insert(0, str(PACKAGE))
from compile import INPUTS, compiled, input_table  # noqa: E402

views_of = cache(compiled)


class Warehouse:
    """A schema with raw tables. `typed`: instants are timestamps with a zone, else texts; destinations do either."""

    name: str
    text: str
    json: str

    def __init__(self, typed: bool):
        self.typed = typed

    def create_raw(self) -> None:
        for table, columns in COLUMNS.items():
            spelled = ", ".join(f'"{column}" {self.type_of(column)}' for column in columns)
            self.run(f'create table "{table}" ({spelled}, "_airbyte_extracted_at" timestamp with time zone)')
        for name in INPUTS:
            self.run(input_table(self.name, name))

    def type_of(self, column: str) -> str:
        if column in INSTANTS:
            return "timestamp with time zone" if self.typed else self.text
        return self.json if column == "totals" else OTHER_TYPES.get(column, self.text)

    def fill(self, tables: dict[str, list[dict]]) -> None:
        """Replaces what the raw tables hold. A row may lack columns."""
        for table, rows in tables.items():
            columns = [*COLUMNS[table], "_airbyte_extracted_at"]
            self.run(f'delete from "{table}"')
            self.insert(table, columns, [tuple(self.value(row.get(c)) for c in columns) for row in rows])

    def give(self, **inputs: list[tuple[str | None, ...]]) -> None:
        """Replaces what the inputs hold; those that are not named become empty."""
        for name, columns in INPUTS.items():
            self.run(f"delete from ai_billing_{name}")
            self.insert(f"ai_billing_{name}", columns, inputs.get(name, []))

    @staticmethod
    def value(value):
        return json.dumps(value) if isinstance(value, list | dict) else value

    def plain_views(self) -> None:
        self.run((SQL / f"{self.name}.sql").read_text())

    def build(self, dataset: str | None = None, text: str | None = None) -> None:
        """Each model as a table, as dbt makes them: every one is computed once, however many stand on it. With a
        dataset only what its current rows need."""
        needed = [name.replace("%s", dataset or "") for name in CHAIN]
        for name, code in self.models(text):
            if dataset is None or name in needed:
                self.run(f"drop table if exists {name}; create table {name} as {code}")

    def models(self, text: str | None = None) -> list[tuple[str, str]]:
        text = text or views_of(self.name)
        return re.findall(r"^create (?:or replace )?view (\w+) as\n(.*?);$", text, re.DOTALL | re.MULTILINE)

    def all(self, sql: str) -> list[dict]:
        cursor = self.cursor()
        cursor.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def columns(self, name: str) -> list[str]:
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
        """Through a file: thousands of parameters take seconds."""
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

    def cursor(self):
        return self.connection.cursor()

    def insert(self, table, columns, rows) -> None:
        if rows:
            from psycopg2.extras import execute_values

            with self.connection.cursor() as cursor:
                execute_values(cursor, f'insert into "{table}" values %s', rows)

    def close(self) -> None:
        self.connection.close()
