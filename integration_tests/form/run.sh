#!/usr/bin/env bash
# Renders the form of spec.json in a real browser. SCREENSHOT=docs/form.png renews the picture in the documentation.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

browser_for form
export SCREENSHOT=${SCREENSHOT:-$reports/form.png}
cd "$root"
npm ci --prefix integration_tests/form/page --no-audit --no-fund --silent
tsc --project integration_tests/form/page
vitest run --config integration_tests/form/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/form.xml"
