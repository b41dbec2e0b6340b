# A container engine for one check. To be sourced: the check sets `check` (its name, for the lines printed), `required`
# (not empty if it must not be skipped) and `work` (an absolute folder for its files).
#
# The engine is the check's own: its data is in $work and is removed at the end. It needs no registry, as the base image
# is made from the distribution's packages.

export DOCKER_HOST=unix://$work/docker.sock
engine=

can_run() {
  [ "$(id -u)" = 0 ] || skip 'not root'
  command -v apt-get >/dev/null || skip 'not a Debian machine'
}

install_tools() {
  local tools=(/usr/bin/docker dockerd docker-compose mmdebstrap iptables ip nsenter curl) tool
  for tool in "${tools[@]}"; do
    if ! command -v "$tool" >/dev/null; then
      apt-get update -qq
      apt-get install -y -qq --no-install-recommends --no-remove \
        docker.io docker-compose mmdebstrap iptables iproute2 curl >"$work/apt.log" 2>&1 ||
        skip 'the packages of a container engine cannot be installed'
      break
    fi
  done
  step 'container engine installed'
}

# Makes a root file system of Debian packages, once: FILE [OPTION...]
make_root() {
  local file=$1 mirror
  shift
  [ ! -s "$file" ] || return 0
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
  mmdebstrap --quiet --variant=minbase "$@" bookworm "$file.new.tar" "${mirror:-http://deb.debian.org/debian}"
  mv "$file.new.tar" "$file"
}

# Gives the engine the image that the Dockerfile builds on.
import_base() {
  # With the authorities, as nothing is fetched while the image is built.
  make_root "$work/base-ca.tar" --include=ca-certificates
  docker image inspect debian:bookworm-slim >/dev/null 2>&1 ||
    docker import --change 'CMD ["bash"]' "$work/base-ca.tar" debian:bookworm-slim >/dev/null
  step 'base image made'
}

# Starts the engine: COMMAND-PREFIX... -- [OPTION...]
start_engine() {
  local prefix=() parent
  while [ "$1" != -- ]; do prefix+=("$1"); shift; done
  shift
  parent=$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)
  "${prefix[@]}" dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/exec" \
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

# Without a bridge the engine leaves the machine's network as it is.
start_engine_to_build() {
  start_engine -- --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false
}

stop_engine() {
  [ -z "$engine" ] || { kill "$engine" && wait "$engine" || true; }
  engine=
}

remove_engine() {
  stop_engine
  umount "$work/exec/netns/default" 2>/dev/null || true
  rm -rf "$work/data" "$work/exec"
}

step() { echo "$check: [${SECONDS}s] $*"; }
skip() {
  [ -z "$required" ] || fail "the check cannot run: $*"
  printf '\n*** %s check SKIPPED: %s ***\n\n' "$check" "$*"
  exit 0
}
fail() { echo "$check: $*" >&2; exit 1; }
