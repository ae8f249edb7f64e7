#!/usr/bin/env bash
# The standard tests of Airbyte's CDK, from the package index. The source tests run the executable; the image tests run the
# image if there is an engine, else the executable too. Airbyte's models check metadata.yaml.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

python_venv "$root/integration_tests/standard_tests/requirements.txt" || skip standard_tests "Airbyte's CDK cannot be installed here"
cd "$root"
[ -e dist/source-ai-billing.js ] || npm run --silent build
export CONNECTOR=$root/bin/source-ai-billing IMAGE=${IMAGE:-source-ai-billing:dev}
if reason=$(engine_up); then
  engine_up # once more, outside of the subshell, because it sets DOCKER_HOST
  DOCKER=$(command -v docker)
  export DOCKER
  build_image "$IMAGE"
else
  printf 'standard_tests: the image tests run the executable: %s\n' "$reason"
fi
export PATH=$root/integration_tests/standard_tests/shim:$PATH
# The omitted test asks a registry on the internet for the published version, and there is none.
"$venv/bin/pytest" -q -rs -p no:cacheprovider -W ignore integration_tests/standard_tests \
  -k "not backward_compatibility" --connector-image="$IMAGE" --read-from-streams=all --read-scenarios=config,fake \
  --junitxml="$reports/standard_tests.xml"
