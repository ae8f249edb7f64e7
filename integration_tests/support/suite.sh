# The suites that need more than vitest source this file. It sets the folder of reports and has their common functions.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$root/node_modules/.bin:$PATH
# Programs that run from their sources start in half the time.
export NODE_COMPILE_CACHE=$root/node_modules/.cache/compiled

# The folder of JUnit XML reports. A skipped suite writes one too.
reports=${REPORTS:-$root/.cache/reports}
mkdir -p "$reports"

# skip SUITE REASON: prints the reason in one line, writes it to the report and ends the suite.
skip() {
  printf '%s: skipped: %s\n' "$1" "$2"
  local reason=${2//&/&amp;}
  reason=${reason//</&lt;}
  cat >"$reports/$1.xml" <<XML
<testsuites tests="1" skipped="1" failures="0" errors="0">
  <testsuite name="$1" tests="1" skipped="1" failures="0" errors="0">
    <testcase classname="$1" name="$1"><skipped message="${reason//\"/&quot;}"/></testcase>
  </testsuite>
</testsuites>
XML
  exit 0
}

# installed LOG PACKAGE: installs a Debian package where that can be done. Suites that run side by side wait for each other.
installed() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$2")
  (
    flock 9
    "${install[@]}" || { apt-get update && "${install[@]}"; }
  ) 9>"$reports/apt.lock" </dev/null >"$reports/$1" 2>&1
}

# browser_for SUITE: sets CHROMIUM to the path of a Chromium. Installs one if it is missing; skips the suite if that fails.
browser_for() {
  local wanted=${CHROMIUM:-chromium}
  if ! command -v "$wanted" >/dev/null; then
    installed chromium.log chromium || skip "$1" "there is no Chromium, and it cannot be installed here"
  fi
  CHROMIUM=$(command -v "$wanted")
  export CHROMIUM
}

# engine_up: makes docker answer. If no daemon answers, the tool beside the repository may start one, with a base image of
# its own. If that fails too, prints the reason and returns 1.
engine_up() {
  command -v docker >/dev/null && timeout 20 docker version >/dev/null 2>&1 && return 0
  local tool=${CONTAINER_ENGINE:-$root/../shared/tools/container-engine} environment
  if [ ! -x "$tool" ]; then
    echo "no Docker daemon answers, and no tool is there to start one"
    return 1
  fi
  if ! environment=$("$tool" up 2>"$reports/engine.log"); then
    echo "no container engine can be started here: $(tail -n 1 "$reports/engine.log")"
    return 1
  fi
  eval "$environment"
  if ! "$tool" base >>"$reports/engine.log" 2>&1; then
    echo "no base image can be made here: $(tail -n 1 "$reports/engine.log")"
    return 1
  fi
}

# build_image TAG: builds the image of the repository; prints the end of the log if the build fails.
build_image() {
  docker build --network=host --tag "$1" "$root" >"$reports/image_build.log" 2>&1 && return 0
  tail -n 40 "$reports/image_build.log"
  return 1
}

# python_of VERSION...: prints the path of the first of these Pythons that runs: those in PATH, then pyenv's.
python_of() {
  local version candidate candidates=()
  for version in "$@"; do
    candidates+=("python$version")
  done
  for version in "$@"; do
    candidates+=("${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/"python$version")
  done
  for candidate in "${candidates[@]}"; do
    "$candidate" -c '' 2>/dev/null && command -v "$candidate" && return 0
  done
  return 1
}

# python_venv REQUIREMENTS [VERSION...]: makes a virtual environment with exactly these packages, of the first of these
# Pythons that is here, and sets `venv` to its path. The environment stays from run to run until the file changes.
python_venv() {
  local requirements=$1 python=''
  shift
  [ $# -gt 0 ] || set -- 3.12 3.11 3.10
  venv=$root/.cache/venv/$(basename -- "$(dirname -- "$requirements")")
  cmp --silent -- "$requirements" "$venv/requirements.txt" && return 0
  if ! python=$(python_of "$@"); then
    echo "none of these Pythons is here: $*"
    return 1
  fi
  rm -rf -- "$venv"
  "$python" -m venv "$venv" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" &&
    cp -- "$requirements" "$venv/requirements.txt"
}
