"""Databases that the tests cannot run: dbt's own adapters compile the models, and sqlglot parses the result."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import sqlglot
from warehouses import PACKAGE

DIALECTS = ["bigquery", "databricks", "redshift", "snowflake"]
# One process compiles for all databases, because dbt takes seconds to load.
COMPILE = """
import sys
from dbt.cli.main import dbtRunner

folder, *words = sys.argv[1:]
for target in words.pop(0).split():
    done = dbtRunner().invoke([*words, "--target", target, "--target-path", f"{folder}/{target}", "--log-path", f"{folder}/{target}"])
    if not done.success:
        sys.exit(f"{target}: {done.exception}")
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with the models compiled for each database."""
    if "DBT_ADAPTERS" not in os.environ:
        pytest.skip("dbt's adapters for these databases cannot be installed here")
    folder = tmp_path_factory.mktemp("dialects")
    words = ["--quiet", "compile", "--select", "resource_type:model", "--no-introspect", "--no-populate-cache"]
    places = ["--project-dir", PACKAGE, "--profiles-dir", PACKAGE / "adapters"]
    python = Path(os.environ["DBT_ADAPTERS"], "bin/python")
    subprocess.run([python, "-c", COMPILE, folder, " ".join(DIALECTS), *words, *places], check=True)
    return folder


@pytest.fixture(scope="module", params=DIALECTS)
def dialect(request, compiled):
    """The name of a database and the models compiled for it, by name."""
    files = (compiled / request.param / "compiled/ai_billing/models").glob("*/*.sql")
    return request.param, {file.stem: file.read_text() for file in files}


def test_every_model_is_of_the_dialect(dialect):
    name, models = dialect
    assert set(models) == {file.stem for file in PACKAGE.glob("models/*/*.sql")}
    for text in models.values():
        sqlglot.parse_one(text, dialect=name)


def test_money_is_an_exact_decimal(dialect):
    """Without a precision, `numeric` is a whole number on Redshift, and has nine digits behind the point on BigQuery."""
    name, models = dialect
    wanted = "bignumeric(38, 18)" if name == "bigquery" else "decimal(38, 18)"
    assert f"as {wanted}) end as billed_cost" in models["ai_billing__rows_costs"]
    assert not any(" as numeric)" in text or " as float" in text or " as double" in text for text in models.values())


def test_bigquery_takes_each_precision(dialect):
    """`decimal` has at most 9 digits after the point there and 29 before it, `bignumeric` 38 and 38. A greater precision is an error."""
    name, models = dialect
    limits = {"decimal": (9, 29), "numeric": (9, 29), "bigdecimal": (38, 38), "bignumeric": (38, 38)}
    refused = {
        (model, found[0])
        for model, text in models.items() if name == "bigquery"
        for found in re.finditer(r"\b((?:big)?(?:decimal|numeric))\((\d+)(?:, *(\d+))?\)", text)
        for after, before in [limits[found[1]]]
        if int(found[3] or 0) > after or int(found[2]) - int(found[3] or 0) > before
    }
    assert refused == set()


def test_a_column_of_json_becomes_a_text(dialect):
    """BigQuery refuses a cast from JSON to a text. Redshift makes null of an array in a SUPER."""
    name, models = dialect
    for model, column in [("ai_billing__manifest", "totals"), ("ai_billing__provider_costs", "x_ProviderColumns")]:
        text = models[model].replace("`", '"')
        assert (f'cast("{column}" as ' in text) == (name in ("databricks", "redshift", "snowflake")), model
        assert (f'to_json_string("{column}")' in text) == (name == "bigquery"), model
        assert (f'json_serialize(cast("{column}" as super))' in text) == (name == "redshift"), model


def test_the_digest_of_a_book_is_that_of_each_database(dialect):
    """dbt's own list of Spark has no order, and a list of Redshift has at most 65,535 bytes."""
    name, models = dialect
    text = models["closes"]
    assert ("array_sort(collect_list(line_digest))" if name == "databricks" else "order by line_digest") in text
    assert ("/ 1000.0" in text) == (name == "redshift")
    assert ("'$1'" in text) == (name == "databricks") and ("\\\\1" in text) == (name in ("bigquery", "snowflake"))
    assert ("to_char(book_month, 'YYYY-MM-DD')" in text) == (name in ("redshift", "snowflake"))


def test_a_share_has_more_than_four_digits_on_redshift(dialect):
    """There the quotient of two decimals with 18 digits behind the point has 4 of them, unless both have fewer digits in front of it."""
    name, models = dialect
    quotient = "(cast(weighed.weight as decimal(32, 18)) / cast(weighed.all_weights as decimal(32, 18)))"
    assert (quotient in models["shared_costs"]) == (name == "redshift")
