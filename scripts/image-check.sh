#!/usr/bin/env bash
# Builds the image that users build, both compiling stages included, and starts it. CI does not run this: the release
# build in it takes ten minutes, and it downloads the packages of npm and cargo.
#
# Where no image can be pulled, the stages need compilers from somewhere: an image is made of Debian packages and of this
# machine's Rust toolchain and Node.js. It all happens under .cache/image, in an engine of its own; what is kept there
# are the root file systems, so that the next run is faster. A machine that cannot run it skips it and says so; with
# `--required` that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

check=image
required=
[ "${1:-}" != --required ] || required=yes
work=$PWD/.cache/image
tools=logstead-tools:local
image=logstead:image-check
. scripts/engine.sh

main() {
  can_run
  mkdir -p "$work"
  trap clean_up EXIT
  install_tools
  start_engine_to_build
  import_base
  import_tools
  build_image
  start_image
  step 'the image builds and works'
}

# The toolchain that rust-toolchain.toml names, and npm, which is next to no binary of its own.
import_tools() {
  local rust node npm
  rust=$(rustc --print sysroot)
  node=$(readlink -f "$(command -v node)")
  npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
  make_root "$work/tools.tar" --include=ca-certificates,gcc,libc6-dev,libstdc++6,make \
    --customize-hook='mkdir -p "$1/opt/rust/bin" "$1/opt/rust/lib" "$1/opt/node/bin" "$1/opt/node/lib/npm"' \
    --customize-hook="sync-in $rust/bin /opt/rust/bin" \
    --customize-hook="sync-in $rust/lib /opt/rust/lib" \
    --customize-hook="sync-in $npm /opt/node/lib/npm" \
    --customize-hook="copy-in $node /opt/node/bin" \
    --customize-hook='copy-in /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs' \
    --customize-hook='ln -s ../lib/npm/bin/npm-cli.js "$1/opt/node/bin/npm"'
  docker import \
    --change 'ENV PATH=/opt/rust/bin:/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
    --change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt' \
    "$work/tools.tar" "$tools" >/dev/null
  step 'image of the compilers made'
}

# With BuildKit, which builds only the stages that the result needs. The engine's own is used: clients of other origin
# may lack theirs.
build_image() {
  DOCKER_BUILDKIT=1 /usr/bin/docker build --network=host --progress=plain --tag "$image" \
    --build-arg NODE_IMAGE="$tools" --build-arg RUST_IMAGE="$tools" . >"$work/build.log" 2>&1 ||
    { tail -n 40 "$work/build.log" >&2; fail 'the image cannot be built'; }
  step 'image built'
}

# It has to become healthy as the compose file runs it, and to have the console in it.
start_image() {
  local container
  container=$(docker run --detach --network=none --read-only --cap-drop=ALL --tmpfs /data:uid=10001,mode=0700 "$image")
  for _ in $(seq 60); do
    [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" != healthy ] || break
    sleep 0.5
  done
  if ! docker exec "$container" bash -c \
    'exec 3<>/dev/tcp/127.0.0.1/8080 && printf "GET / HTTP/1.0\r\n\r\n" >&3 && cat <&3' | grep '<script type="module"' >/dev/null; then
    docker logs "$container"
    fail 'the container does not serve the console'
  fi
  docker rm --force "$container" >/dev/null
}

clean_up() {
  status=$?
  remove_engine
  exit "$status"
}

main
