#!/usr/bin/env bash
# Tests of the dbt package and the plain views: on DuckDB, on a PostgreSQL server of their own, and on Apache Spark where Java
# is. REPORTS names the folder for the JUnit XML; arguments go to pytest, and then all tests run in one process.
set -euo pipefail
. "$(dirname -- "$0")/../integration_tests/support/suite.sh"

# The environments are made side by side, beside the packages: an installation mostly waits. One that fails is tried again below.
python_venv "$root/dbt/focus/requirements.txt" 3.12 >/dev/null 2>&1 &
python_venv "$root/dbt/adapters/requirements.txt" >/dev/null 2>&1 &
python_venv "$root/dbt/requirements.txt" >/dev/null 2>&1 &
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || installed postgres_install.log postgresql ||
  skip dbt "PostgreSQL is not here and cannot be installed"
command -v java >/dev/null || installed java_install.log openjdk-17-jre-headless ||
  echo "dbt: the tests on Apache Spark are skipped: Java is not here and cannot be installed"
wait
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
# The databases live in memory if there is room: dbt commits after each model, and a disk takes longer than the model.
if [ -w /dev/shm ] && [ "$(df --output=avail --block-size=1G /dev/shm | tail -n 1)" -ge 4 ]; then
  TMPDIR=$(mktemp -d /dev/shm/ai-billing-dbt-XXXXXX)
  export TMPDIR
  trap 'rm -rf -- "$TMPDIR"' EXIT
  chmod 755 "$TMPDIR" # PostgreSQL runs as another user
fi
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
pytest() {
  "$venv/bin/pytest" -q -p no:cacheprovider --junitxml="$reports/$1.xml" "${@:2}"
}
if [ $# -gt 0 ]; then
  pytest dbt dbt/tests_python "$@"
  exit
fi

# The builds by dbt share no server and no file with the other tests, so both run side by side. They are in one process, which
# parses each project once.
builds=()
others=()
for name in closing dbt dialects focus incremental spark; do
  builds+=("dbt/tests_python/test_$name.py")
  others+=("--ignore=dbt/tests_python/test_$name.py")
done
code=0
pytest dbt_builds "${builds[@]}" >"$reports/dbt_builds.log" 2>&1 &
pytest dbt_others dbt/tests_python "${others[@]}" || code=$?
wait $! || code=$?
cat "$reports/dbt_builds.log"
{
  echo '<testsuites>'
  for half in builds others; do
    sed -E 's#<[?]xml[^>]*>|</?testsuites[^>]*>##g' "$reports/dbt_$half.xml"
  done
  echo '</testsuites>'
} >"$reports/dbt.xml"
exit "$code"
