#!/usr/bin/env bash
# Follows the platform's sign-in from spec.json to a working token, with a published template engine.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

python_venv "$root/integration_tests/sign_in_button/requirements.txt" || skip sign_in_button "Jinja cannot be installed here"
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
"$venv/bin/pytest" -q -p no:cacheprovider integration_tests/sign_in_button --junitxml="$reports/sign_in_button.xml"
