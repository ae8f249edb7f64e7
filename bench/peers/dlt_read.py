"""Loads the records of a connector's `read` into a new DuckDB file with dlt: dlt_read.py FOLDER COMMAND..."""

import json
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import dlt

RECORD = b'{"type":"RECORD"'

folder, *command = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
Path(folder).mkdir()


@dlt.source
def lines():
    """One resource reads the lines of all streams. It names the table of each record."""

    @dlt.resource(table_name=lambda row: row["stream"], name="records")
    def records():
        with subprocess.Popen(command, stdout=subprocess.PIPE) as connector:
            rows = (json.loads(line)["record"] for line in connector.stdout if line.startswith(RECORD))
            while page := [{"stream": row["stream"], **row["data"]} for row in islice(rows, 1000)]:
                yield page
        if connector.returncode != 0:
            raise SystemExit(f"the connector ended with {connector.returncode}")

    return records


pipeline = dlt.pipeline(
    "ai_billing",
    pipelines_dir=folder,
    destination=dlt.destinations.duckdb(str(Path(folder, "billing.duckdb"))),
    dataset_name="raw",
)
pipeline.run(lines(), loader_file_format="parquet")
