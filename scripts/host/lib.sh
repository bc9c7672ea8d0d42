# shellcheck shell=bash
# Shared by the scripts of this folder (sourced, never run): where things live, progress lines, locks,
# background daemons, and the advice for a host that cannot be set up automatically.
# Progress goes to stderr, so that stdout carries only an answer (such as a socket endpoint).
set -euo pipefail
umask 022
# iptables, ip and friends live in sbin, which is not always on the PATH of a root shell.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" LC_ALL=C

HOST_SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
REPO_ROOT=$(cd "$HOST_SCRIPTS/../.." && pwd -P)
DEFAULT_HOST_DIR=/var/lib/kubelet-ts-host
HOST_DIR=${KUBELET_TS_HOST_DIR:-$DEFAULT_HOST_DIR}
# Distinguishes the things of two state directories where the whole host shares one place: firewall rules, cgroups.
# Empty for the usual directory.
HOST_TAG=
[ "$HOST_DIR" = "$DEFAULT_HOST_DIR" ] || HOST_TAG=$(printf %s "$HOST_DIR" | sha256sum | cut -c 1-6)
BIN_DIR=$HOST_DIR/bin
RUN_DIR=$HOST_DIR/run
IMAGES_DIR=$HOST_DIR/images
INSTANCES_DIR=$HOST_DIR/instances
REGISTRIES_DIR=$HOST_DIR/registries
STEP_LOG=$RUN_DIR/host.log
PAUSE_IMAGE=registry.k8s.io/pause:3.10.2
# Built by runc.sh, for containerd 2.x only. The version is what its go.mod requires: one place to change it.
RUNC_VERSION=$(awk '/opencontainers\/runc / { print substr($NF, 2) }' "$HOST_SCRIPTS/runc/go.mod")
RUNC=$BIN_DIR/runc-$RUNC_VERSION/runc

say() { printf '[host] %s\n' "$*" >&2; }

die() {
  printf '[host] ERROR: %s\n' "$*" >&2
  exit 1
}

# How to go on without these scripts; printed whenever the host cannot be set up.
manual_help() {
  cat >&2 <<HELP

To set the host up by hand instead:
  1. Install runc, the CNI plugins (bridge, host-local, portmap, loopback in /usr/lib/cni or
     /opt/cni/bin), iptables, iproute2, curl and openssl with your package manager.
  2. Put these programs, or links to them, where the scripts look first:
       $BIN_DIR/containerd-2.1/  containerd, ctr and containerd-shim-runc-v2 of a 2.x release
       $BIN_DIR/containerd-1.6/  the same three of a 1.6 release (only the tests need it)
       $BIN_DIR/tools/           a static busybox, a static tini, docker-registry
       $BIN_DIR/runc-$RUNC_VERSION/      runc of that version (without it containerd 2.1 uses the host's, and tests
                                  of user namespaces are skipped when that is older than 1.2)
     and run this again as root: nothing that is present is installed again.
  Or use a runtime you already have. The kubelet needs only a CRI socket:
       bin/kubelet --container-runtime-endpoint=unix:///run/containerd/containerd.sock …
HELP
}

die_manual() {
  printf '[host] ERROR: %s\n' "$*" >&2
  manual_help
  exit 1
}

require_root() {
  [ "$(id -u)" = 0 ] || die_manual "containers, bridges and mounts need root, and this is user $(id -un); try: sudo make $*"
}

make_dirs() {
  mkdir -p "$BIN_DIR/tools" "$RUN_DIR" "$IMAGES_DIR" "$INSTANCES_DIR" "$REGISTRIES_DIR" ||
    die "cannot create \"$HOST_DIR\"; set KUBELET_TS_HOST_DIR to a directory that root can write"
}

# step TEXT CMD…: runs CMD with its output in the log and prints one line "[host] TEXT … done (3s)".
# CMD runs in a subshell with errexit on: call step as a plain statement, never after || or in a test.
step() {
  local text=$1 began=$SECONDS rc from
  shift
  mkdir -p "$RUN_DIR"
  touch "$STEP_LOG"
  from=$(($(wc -l <"$STEP_LOG") + 1))
  printf '[host] %s … ' "$text" >&2
  set +e
  (
    set -e
    "$@"
  ) >>"$STEP_LOG" 2>&1 </dev/null
  rc=$?
  set -e
  if [ "$rc" != 0 ]; then
    printf 'FAILED (exit %s)\n' "$rc" >&2
    tail -n "+$from" "$STEP_LOG" | tail -n 25 | sed 's/^/    /' >&2
    printf '    (whole log: %s)\n' "$STEP_LOG" >&2
    exit "$rc"
  fi
  printf 'done (%ss)\n' "$((SECONDS - began))" >&2
}

# with_lock NAME: holds a lock until this shell ends; daemons must not inherit it (see start_daemon).
with_lock() {
  mkdir -p "$RUN_DIR"
  exec 9>"$RUN_DIR/$1.lock"
  flock -w 300 9 || die "another set-up has held \"$RUN_DIR/$1.lock\" for 5 minutes; is one stuck? (fuser shows it)"
}

# daemon_pid NAME: the pid if the recorded daemon still runs. The executable is compared as well, so that
# a pid that the kernel gave to another program is never taken for ours. The kernel marks one whose file is gone.
daemon_pid() {
  local file=$RUN_DIR/$1.pid pid exe runs
  [ -f "$file" ] || return 1
  read -r pid exe <"$file" || return 1
  runs=$(readlink "/proc/$pid/exe" 2>/dev/null) || return 1
  [ "${runs% (deleted)}" = "$exe" ] || return 1
  echo "$pid"
}

# start_daemon NAME PROGRAM ARGS…: detached, with log and pid under run/. It gets none of the files that are open
# here: a lock of ours, or of our caller, would be held for as long as it lives. Returns when the process has become the
# program: until then daemon_pid does not know it, and it would be taken for one that has ended.
start_daemon() {
  local name=$1 program tries
  program=$(readlink -f "$2")
  shift 2
  (
    close_others
    exec setsid nohup "$program" "$@"
  ) >>"$RUN_DIR/$name.log" 2>&1 </dev/null &
  echo "$! $program" >"$RUN_DIR/$name.pid"
  for ((tries = 0; tries < 1000; tries++)); do
    case $(readlink "/proc/$!/exe" 2>/dev/null) in
      */bash | */setsid | */nohup) sleep 0.01 ;;
      *) break ;;
    esac
  done
}

# close_others: closes everything but input, output and errors.
close_others() {
  local file
  for file in "/proc/$BASHPID/fd"/*; do
    [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
  done
}

# stop_daemon NAME: SIGTERM, then SIGKILL after 10 s; its children are left alone.
stop_daemon() {
  local pid i
  if pid=$(daemon_pid "$1"); then
    kill -TERM "$pid" 2>/dev/null || true
    for ((i = 0; i < 100; i++)); do
      daemon_pid "$1" >/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$RUN_DIR/$1.pid"
}

# wait_until SECONDS CMD…: polls CMD until it succeeds.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

instance_socket() { echo "$INSTANCES_DIR/$1/containerd.sock"; }

# network_name INSTANCE: what its CNI network is called, and so what its firewall rules say. One that has a network
# keeps the name: the rules of its pods carry it.
network_name() {
  local file=$INSTANCES_DIR/$1/cni/net.d/10-kts.conflist
  [ -f "$file" ] && sed -n 's/^  "name": "\(.*\)",$/\1/p' "$file" || echo "kts-${HOST_TAG:+$HOST_TAG-}$1"
}

# instance_ctr INSTANCE ARGS…: ctr of the instance's own version, in the namespace of the CRI plugin.
instance_ctr() {
  local name=$1 version
  shift
  version=$(cat "$INSTANCES_DIR/$name/version" 2>/dev/null) || die "there is no instance \"$name\"; try: scripts/host/containerd.sh list"
  "$BIN_DIR/containerd-$version/ctr" -a "$(instance_socket "$name")" -n k8s.io "$@"
}

instance_names() {
  local dir
  for dir in "$INSTANCES_DIR"/*/version; do
    [ -f "$dir" ] && basename "$(dirname "$dir")"
  done
  return 0
}

# trust_registry INSTANCE PORT: lets the instance speak plain http to the registry on that loopback port.
# containerd reads these files at every pull, so no restart is needed.
trust_registry() {
  local host dir
  for host in localhost 127.0.0.1; do
    dir=$INSTANCES_DIR/$1/certs.d/$host:$2
    mkdir -p "$dir"
    printf 'server = "http://%s:%s"\n\n[host."http://%s:%s"]\n  capabilities = ["pull", "resolve", "push"]\n' \
      "$host" "$2" "$host" "$2" >"$dir/hosts.toml"
  done
}

cni_bin_dir() {
  local dir
  for dir in /usr/lib/cni /opt/cni/bin /usr/libexec/cni; do
    if [ -x "$dir/bridge" ] && [ -x "$dir/host-local" ] && [ -x "$dir/portmap" ] && [ -x "$dir/loopback" ]; then
      echo "$dir"
      return 0
    fi
  done
  return 1
}

# The Node that the repository pins (node_modules), else a system Node that is new enough.
node_program() {
  local pinned=$REPO_ROOT/node_modules/.bin/node
  if "$pinned" --version >/dev/null 2>&1; then
    echo "$pinned"
  elif [ "$(node -p 'Number.parseInt(process.versions.node, 10) >= 24' 2>/dev/null)" = true ]; then
    command -v node
  else
    die "no Node 24 found; run: make install"
  fi
}
