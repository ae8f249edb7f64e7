#!/usr/bin/env bash
# Looks at the demo's report in a real browser. SCREENSHOT=docs/report.png renews the picture in the README.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

if ! command -v chromium >/dev/null; then
  { [ "$(id -u)" = 0 ] && apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } \
    </dev/null >"$reports/chromium.log" 2>&1 || skip report "there is no Chromium, and it cannot be installed here"
fi
CHROMIUM=$(command -v chromium)
export CHROMIUM SCREENSHOT=${SCREENSHOT:-$reports/report.png}
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
tsc --project demo/report/page
vitest run --config integration_tests/report/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/report.xml"
