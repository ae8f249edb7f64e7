"""Apache Spark with the interface of warehouses.py: one local session for the whole run, because it takes seconds to start."""

import json
import shutil
import tempfile
from pathlib import Path

from warehouses import COLUMNS, INPUTS, INSTANTS, OTHER_TYPES, Warehouse

# Tests have few rows and large plans: Spark would take longer to generate and compile code than to run without it. A concurrent
# garbage collector would take processors from the tests.
SETTINGS = {
    "spark.driver.extraJavaOptions":
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -XX:MetaspaceSize=256m -Xms1g",
    "spark.driver.memory": "3g",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.constraintPropagation.enabled": "false",  # its time grows with the square of the columns of a plan
    "spark.sql.session.timeZone": "Asia/Kathmandu",  # nothing may depend on the session's zone
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    # Without these Spark writes each plan, of which some are megabytes, as text, and keeps a thousand of them.
    "spark.sql.maxPlanStringLength": "1000",
    "spark.sql.ui.retainedExecutions": "1",
}


class SparkServer:
    """A session with a catalog and files of its own."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ai-billing-spark-"))

    def start(self) -> None:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").config("spark.sql.warehouse.dir", str(self.folder))
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")

    def stop(self) -> None:
        self.session.stop()
        shutil.rmtree(self.folder)


class Spark(Warehouse):
    name, text, json = "spark", "string", "string"

    def __init__(self, session, schema: str, typed: bool = False):
        super().__init__(typed)
        self.session, self.schema = session, schema
        self.run(f"create schema if not exists {schema}")

    def type_of(self, column: str) -> str:
        if column == "_airbyte_extracted_at" or (self.typed and column in INSTANTS):
            return "timestamp"
        return OTHER_TYPES.get(column, "string")

    def create_raw(self) -> None:
        self.fill(dict.fromkeys(COLUMNS, []))

    def fill(self, tables: dict[str, list[dict]]) -> None:
        for table, rows in tables.items():
            shape = {column: self.type_of(column) for column in [*COLUMNS[table], "_airbyte_extracted_at"]}
            self.write(table, shape, [{column: self.value(row.get(column)) for column in shape} for row in rows])

    def give(self, **inputs: list[tuple[str | None, ...]]) -> None:
        """Replaces the rows of all input tables; an input that is not named becomes empty."""
        for name, columns in INPUTS.items():
            rows = [dict(zip(columns, row)) for row in inputs.get(name, [])]
            self.write(f"ai_billing_{name}", dict.fromkeys(columns, "string"), rows)

    def write(self, table: str, shape: dict[str, str], rows: list[dict]) -> None:
        """Replaces a table; the rows go through a file."""
        file = Path(tempfile.mkdtemp(), "rows.jsonl")
        file.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
        read = self.session.read.schema(", ".join(f"`{column}` {kind}" for column, kind in shape.items()))
        found = read.option("mode", "FAILFAST").json(str(file))
        found.write.mode("overwrite").saveAsTable(f"{self.schema}.{table}")
        shutil.rmtree(file.parent)

    def all(self, sql: str) -> list[dict]:
        self.run(f"use {self.schema}")
        return [row.asDict() for row in self.session.sql(sql).collect()]

    def columns(self, name: str) -> list[str]:
        return self.session.table(f"{self.schema}.{name}").columns

    def run(self, sql: str) -> None:
        self.session.sql(sql)

    def close(self) -> None:
        self.run(f"drop schema {self.schema} cascade")
