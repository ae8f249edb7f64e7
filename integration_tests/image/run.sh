#!/usr/bin/env bash
# Builds the image and runs the connector in it as a platform does. Skips the tests if no engine can be had.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

reason=$(engine_up) || skip image "$reason"
engine_up # once more, outside of the subshell, because it sets DOCKER_HOST
export IMAGE=${IMAGE:-source-ai-billing:dev}
build_image "$IMAGE"
size() { docker image inspect --format '{{.Size}}' "$1"; }
printf 'image: %s is %s MB, %s kB of them on top of its base image\n' "$IMAGE" \
  $(($(size "$IMAGE") / 1000000)) $((($(size "$IMAGE") - $(size node:26-slim)) / 1000))
cd "$root"
vitest run --config integration_tests/image/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/image.xml"
