"""Reads all streams of a connector into a new DuckDB file: pyairbyte_read.py EXECUTABLE CONFIG FOLDER."""

import json
import shutil
import sys
from pathlib import Path

import airbyte as ab
from airbyte.caches import DuckDBCache

executable, config, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
source = ab.get_source(
    "source-ai-billing",
    config=json.loads(Path(config).read_text()),
    streams="*",
    local_executable=Path(executable),
)
source.read(cache=DuckDBCache(db_path=Path(folder, "billing.duckdb"), cache_dir=Path(folder, "files")))
