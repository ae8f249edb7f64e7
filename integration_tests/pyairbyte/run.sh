#!/usr/bin/env bash
# Reads into DuckDB through PyAirbyte from the package index, as Python users do.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

python_venv "$root/integration_tests/pyairbyte/requirements.txt" || skip pyairbyte "PyAirbyte cannot be installed here"
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
# PyAirbyte contacts nobody but the provider on this machine.
export AIRBYTE_OFFLINE_MODE=1 AIRBYTE_DISABLE_TELEMETRY=1 DO_NOT_TRACK=1
"$venv/bin/pytest" -q -p no:cacheprovider integration_tests/pyairbyte -W ignore --junitxml="$reports/pyairbyte.xml"
