"""Projects of dbt on a database. dbt runs in this process, and parses a project once for each kind of database, because a parse takes
longer than a build."""

from pathlib import Path

from warehouses import PACKAGE, DuckDB, Postgres, Warehouse, dbt_here

# A parsed project names the schema and the database that it was parsed for, so these are the same for all tests.
SCHEMA = {"duckdb": "main", "postgres": "built", "spark": "built"}
FILE = "built.duckdb"
PARSED: dict[tuple[Path, str], object] = {}


class Project:
    """The folder `root` holds the project, by default the package; `folder` gets the DuckDB file and all that dbt writes."""

    def __init__(self, kind: str, folder: Path, *, port: int = 0, root: Path = PACKAGE):
        self.kind, self.folder, self.port, self.root = kind, folder, port, root

    def database(self, typed: bool = False) -> Warehouse:
        """An empty database for the project. Replaces that of an earlier test, if the server is the same."""
        new = DuckDB(typed, str(self.folder / FILE)) if self.kind == "duckdb" else Postgres(self.port, SCHEMA[self.kind], typed)
        new.create_raw()
        return new

    def run(self, warehouse: Warehouse, *words: str) -> Warehouse:
        """Runs dbt on a database. A DuckDB file has one writer at a time, so it is closed and opened again."""
        if self.kind != "duckdb":
            self.dbt(*words)
            return warehouse
        warehouse.close()
        self.dbt(*words)
        return DuckDB(path=str(self.folder / FILE))

    def dbt(self, *words: str, parsed=None):
        return self.invoke(*words, parsed=parsed or self.parsed())

    def parsed(self):
        place = self.root, self.kind
        PARSED[place] = PARSED.get(place) or self.invoke("parse")
        return PARSED[place]

    def invoke(self, *words: str, parsed=None):
        environment = {
            "AI_BILLING_SCHEMA": SCHEMA[self.kind],
            "AI_BILLING_DUCKDB": str(self.folder / FILE),
            "AI_BILLING_PGPORT": str(self.port),
        }
        places = ["--target", self.kind, "--project-dir", self.root, "--profiles-dir", PACKAGE, "--log-path", self.folder / "logs"]
        kept = [] if words == ("deps",) else ["--target-path", self.folder / "target"]
        return dbt_here(environment, *words, *places, *kept, parsed=parsed)
