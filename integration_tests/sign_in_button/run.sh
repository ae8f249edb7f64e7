#!/usr/bin/env bash
# Walks the platform's sign-in as spec.json describes it, with a template engine that is not ours, to a working token.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

python_venv "$root/integration_tests/sign_in_button/requirements.txt" || skip sign_in_button "Jinja cannot be installed here"
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
"$venv/bin/pytest" -q -p no:cacheprovider integration_tests/sign_in_button --junitxml="$reports/sign_in_button.xml"
