#!/usr/bin/env bash
# Builds the image and runs the connector in it as a platform does. Needs an engine; says so and skips where there is none.
set -euo pipefail
. "$(dirname -- "$0")/../support/suite.sh"

reason=$(engine_up) || skip image "$reason"
engine_up # once more, outside of the subshell: it sets DOCKER_HOST
export IMAGE=${IMAGE:-source-ai-billing:dev}
build_image "$IMAGE"
printf 'image: %s is %s MB, %s of them on top of the base image\n' "$IMAGE" \
  "$(docker image inspect --format '{{.Size}}' "$IMAGE" | awk '{ printf "%.0f", $1 / 1e6 }')" \
  "$(docker history --format '{{.Size}}' --human=false "$IMAGE" | head -n 9 | awk '{ sum += $1 } END { printf "%.1f MB", sum / 1e6 }')"
cd "$root"
vitest run --config integration_tests/image/vitest.config.ts \
  --reporter=default --reporter=junit --outputFile.junit="$reports/image.xml"
