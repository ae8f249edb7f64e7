#!/usr/bin/env bash
# Renews docs/companies/: the reports of six companies at 1,400 and at 390 pixels. The first company is the demo's.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

browser_for pictures
python_venv "$root/dbt/requirements.txt" || skip pictures "dbt cannot be installed here"
cd "$root"
npm run --silent build
pages=$(mktemp -d)
trap 'rm -rf -- "$pages"' EXIT
node demo/main.ts --out "$pages/demo" >"$pages/demo.log"
cp "$pages/demo/report.html" "$pages/demo.html"
(cd dbt/tests_python && "$venv/bin/python" companies.py "$pages")
mkdir -p docs/companies
node integration_tests/report/pictures.ts "$pages" docs/companies
