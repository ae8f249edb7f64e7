#!/usr/bin/env bash
# `login` through a real browser: Debian's Chromium, installed here where it is missing.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

find_browser() { command -v "${CHROMIUM:-chromium}"; }
if ! find_browser >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install --yes --no-install-recommends chromium; } >"$reports/chromium.log" 2>&1 ||
    skip sign_in_browser "Chromium is not here and cannot be installed"
fi
CHROMIUM=$(find_browser)
export CHROMIUM
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
vitest run --config integration_tests/sign_in_browser/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/sign_in_browser.xml"
