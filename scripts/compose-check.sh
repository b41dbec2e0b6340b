#!/usr/bin/env bash
# Proves the appliance for real: builds the runtime image from the binary that `npm run build` made, starts
# docker-compose.yml in an engine of its own, sends a message to the published syslog port, finds it by the API,
# restarts the container and finds it again.
#
# Needs no registry (the base image is made from the distribution's packages) and leaves the machine as it was: the
# engine runs the containers in a network namespace of its own, with its files under .cache/compose. A machine that cannot
# run it skips it and says so; with `--required` that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$PWD/.cache/compose
namespace=logstead-check
export DOCKER_HOST=unix://$work/docker.sock DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
export COMPOSE_PROJECT_NAME=logstead-check LOGSTEAD_ADMIN_TOKEN=compose-check-token
required=
[ "${1:-}" != --required ] || required=yes
engine=

main() {
  can_run
  [ -x target/release/logstead ] || fail 'there is no target/release/logstead: run npm run build first'
  mkdir -p "$work"
  trap clean_up EXIT
  install_tools || skip 'the packages of a container engine cannot be installed'
  make_base
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

can_run() {
  [ "$(id -u)" = 0 ] || skip 'not root'
  command -v apt-get >/dev/null || skip 'not a Debian machine'
}

install_tools() {
  local tools=(dockerd docker-compose mmdebstrap iptables ip nsenter curl) tool
  for tool in "${tools[@]}"; do
    if ! command -v "$tool" >/dev/null; then
      apt-get update -qq
      apt-get install -y -qq --no-install-recommends --no-remove \
        docker.io docker-compose mmdebstrap iptables iproute2 curl >"$work/apt.log" 2>&1
      break
    fi
  done
  step 'container engine installed'
}

make_base() {
  if [ ! -s "$work/base.tar" ]; then
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
    mmdebstrap --quiet --variant=minbase bookworm "$work/base.new.tar" "${mirror:-http://deb.debian.org/debian}"
    mv "$work/base.new.tar" "$work/base.tar"
  fi
  step 'base image made'
}

# Nothing is fetched while the image is built, so the engine gets no network.
build_image() {
  start_engine --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false
  if ! docker image inspect debian:bookworm-slim >/dev/null 2>&1; then
    docker import --change 'CMD ["bash"]' "$work/base.tar" debian:bookworm-slim >/dev/null
  fi
  docker build --target runtime-prebuilt --tag logstead:local . >"$work/build.log" 2>&1 ||
    { tail -n 20 "$work/build.log" >&2; fail 'the runtime image cannot be built'; }
  stop_engine
  step 'runtime image built'
}

start_appliance() {
  docker-compose config --quiet
  ip netns add "$namespace"
  inside ip link set lo up
  start_engine
  docker-compose up -d --no-build
  await_healthy
}

# `ip netns exec` would hide /sys/fs/cgroup from the engine.
inside() { nsenter --net="/run/netns/$namespace" "$@"; }

start_engine() {
  local run=() parent
  [ ! -e "/run/netns/$namespace" ] || run=(nsenter --net="/run/netns/$namespace")
  parent=$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)
  "${run[@]}" dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/exec" \
    --pidfile "$work/dockerd.pid" ${parent:+--cgroup-parent "$parent/logstead-check"} "$@" >>"$work/dockerd.log" 2>&1 &
  engine=$!
  for _ in $(seq 120); do
    ! docker version >/dev/null 2>&1 || return 0
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.25
  done
  tail -n 5 "$work/dockerd.log" >&2
  engine=
  skip 'no container engine starts on this machine'
}

stop_engine() {
  [ -z "$engine" ] || { kill "$engine" && wait "$engine" || true; }
  engine=
}

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
  stop_engine
  umount "$work/exec/netns/default" 2>/dev/null || true
  ip netns del "$namespace" 2>/dev/null || true
  rm -rf "$work/data" "$work/exec"
  exit "$status"
}

step() { echo "compose: [${SECONDS}s] $*"; }
skip() {
  [ -z "$required" ] || fail "the check cannot run: $*"
  printf '\n*** compose check SKIPPED: %s ***\n\n' "$*"
  exit 0
}
fail() { echo "compose: $*" >&2; exit 1; }

main
