#!/usr/bin/env bash
# Looks at the demo's report in a real browser. SCREENSHOT=docs/report.png renews the picture in the README.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

browser_for report
export SCREENSHOT=${SCREENSHOT:-$reports/report.png}
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
tsc --project warehouse/report/page
vitest run --config integration_tests/report/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/report.xml"
