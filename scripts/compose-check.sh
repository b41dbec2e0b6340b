#!/usr/bin/env bash
# Proves the appliance for real: builds the runtime image from the binary that `npm run build` made (or from the one in
# `target` that LOGSTEAD names), starts docker-compose.yml in an engine of its own, sends a message to the published
# syslog port, finds it through the API, restarts the container and finds it again.
#
# It needs no registry and leaves the machine as it was: the engine runs the containers in a network namespace of its
# own, with its files under .cache/compose. A machine that cannot run it skips it and says so; with `--required` that is
# a failure. scripts/image-check.sh tries the stages that compile.
set -euo pipefail
cd "$(dirname "$0")/.."

check=compose
required=
[ "${1:-}" != --required ] || required=yes
work=$PWD/.cache/compose
binary=${LOGSTEAD:-target/release/logstead}
binary=${binary#"$PWD/"}
namespace=logstead-check
export DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
export COMPOSE_PROJECT_NAME=logstead-check LOGSTEAD_ADMIN_TOKEN=compose-check-token
. scripts/engine.sh

main() {
  can_run
  [ -x "$binary" ] || fail "there is no $binary: run npm run build first"
  mkdir -p "$work"
  trap clean_up EXIT
  install_tools
  build_image
  start_appliance
  token="compose check $RANDOM$RANDOM"
  inside bash -c "printf '<13>1 - box compose - - - %s\n' '$token' >/dev/tcp/127.0.0.1/514"
  expect_found 'a message sent to port 514 is found'
  docker-compose restart
  await_healthy
  expect_found 'the message is still there after a restart'
  docker-compose --profile demo up -d --no-build
  token='demo message'
  expect_found 'the demo profile sends messages'
  step 'the appliance works'
}

# Nothing is fetched while the image is built, so the engine gets no network.
build_image() {
  start_engine_to_build
  import_base
  docker build --target runtime-prebuilt --build-arg BINARY="$binary" --tag logstead:local . >"$work/build.log" 2>&1 ||
    { tail -n 20 "$work/build.log" >&2; fail 'the runtime image cannot be built'; }
  stop_engine
  step 'runtime image built'
}

start_appliance() {
  docker-compose config --quiet
  ip netns add "$namespace"
  inside ip link set lo up
  start_engine nsenter --net="/run/netns/$namespace" --
  docker-compose up -d --no-build
  await_healthy
}

# `ip netns exec` would hide /sys/fs/cgroup from the engine.
inside() { nsenter --net="/run/netns/$namespace" "$@"; }

await_healthy() {
  local container
  container=$(docker-compose ps -q logstead)
  for _ in $(seq 60); do
    if [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]; then
      step 'healthy'
      return
    fi
    sleep 0.5
  done
  docker-compose logs --tail 40
  docker inspect --format '{{json .State}}' "$container"
  fail 'the container did not become healthy'
}

expect_found() {
  for _ in $(seq 40); do
    if inside curl -fsS -H "Authorization: Bearer $LOGSTEAD_ADMIN_TOKEN" --get \
      --data-urlencode "query=\"$token\"" http://127.0.0.1:8080/api/v1/search | grep -qF "$token"; then
      step "$1"
      return
    fi
    sleep 0.25
  done
  docker-compose logs --tail 40
  fail "not so: $1"
}

clean_up() {
  status=$?
  [ -z "$engine" ] || [ ! -e "/run/netns/$namespace" ] || docker-compose --profile demo down -v -t 10 || true
  remove_engine
  ip netns del "$namespace" 2>/dev/null || true
  exit "$status"
}

main
