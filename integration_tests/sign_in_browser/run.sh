#!/usr/bin/env bash
# `login` through a real browser: Debian's Chromium, which this script installs if it is missing.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

browser_for sign_in_browser
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
vitest run --config integration_tests/sign_in_browser/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/sign_in_browser.xml"
