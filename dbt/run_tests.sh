#!/usr/bin/env bash
# Tests of the dbt package and the plain views, on DuckDB and on a PostgreSQL server of their own. REPORTS names the folder
# for the JUnit XML; arguments go to pytest.
set -euo pipefail
. "$(dirname -- "$0")/../integration_tests/support/suite.sh"

# Installs Debian's package where that can be done.
postgres_there() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  apt-get install --yes --no-install-recommends postgresql >"$reports/postgres_install.log" 2>&1 ||
    { apt-get update && apt-get install --yes --no-install-recommends postgresql; } >"$reports/postgres_install.log" 2>&1
}

postgres_there || skip dbt "PostgreSQL is not here and cannot be installed"
python_venv "$root/dbt/requirements.txt" || skip dbt "dbt cannot be installed here"
cd "$root"
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
"$venv/bin/pytest" -q -p no:cacheprovider dbt/tests_python --junitxml="$reports/dbt.xml" "$@"
