#!/usr/bin/env bash
# Tests of the dbt package and the plain views: on DuckDB, on a PostgreSQL server of their own, and on Apache Spark where Java
# is. REPORTS names the folder for the JUnit XML; arguments go to pytest.
set -euo pipefail
. "$(dirname -- "$0")/../integration_tests/support/suite.sh"

compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || installed postgres_install.log postgresql ||
  skip dbt "PostgreSQL is not here and cannot be installed"
command -v java >/dev/null || installed java_install.log openjdk-17-jre-headless ||
  echo "dbt: the tests on Apache Spark are skipped: Java is not here and cannot be installed"
if python_venv "$root/dbt/focus/requirements.txt" 3.12; then
  export FOCUS_VALIDATOR=$venv
else
  echo "dbt: the test with the FOCUS validator is skipped: the validator needs Python 3.12 and cannot be installed here"
fi
if python_venv "$root/dbt/adapters/requirements.txt"; then
  export DBT_ADAPTERS=$venv
else
  echo "dbt: the models are not compiled for other databases: their adapters cannot be installed here"
fi
python_venv "$root/dbt/requirements.txt" || skip dbt "dbt cannot be installed here"
cd "$root"
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
"$venv/bin/pytest" -q -p no:cacheprovider dbt/tests_python --junitxml="$reports/dbt.xml" "$@"
