#!/usr/bin/env bash
# Runs upstream's own tests of a kubelet (test/e2e_node) against ours or the upstream one, on a private containerd,
# and removes everything afterwards, also after an interrupt. The suite brings its own etcd and API server; what it uses
# of the host is set apart (apart.sh), and what it pulls comes from a registry of its own (pulls.sh).
#
# usage: [FOCUS=REGEX | QUICK=1] [SKIP=REGEX] [PROCS=2] [TIMEOUT=5h] node-e2e.sh ours|upstream
#        node-e2e.sh clean     only removes what an interrupted run left
# With NODE_E2E_MACHINE=DRIVER the whole machine is the run's own (../vm/node-e2e.sh) and has systemd: nothing is set
# apart nor removed, the kubelet is a real unit, and the cgroup driver is that one.
. "$(dirname "${BASH_SOURCE[0]}")/../cluster/env.sh"
. "$HOST_SCRIPTS/purge.sh"
. "$HOST_SCRIPTS/images.sh"

SCRIPTS=$REPO_ROOT/test/node-e2e
MACHINE_DRIVER=${NODE_E2E_MACHINE:-}
INSTANCE=${MACHINE_DRIVER:-node-e2e}
DIR=$HOST_DIR/node-e2e
WORK=$DIR/work
# What the kubelet makes in each hierarchy of cgroups.
CGROUPS=(kubepods kubelet.slice)
. "$SCRIPTS/apart.sh"
. "$SCRIPTS/pulls.sh"

# --- before ---------------------------------------------------------------------------------------

# With cgroup v2 the host's own are used.
require_free() {
  local cgroup
  [ -z "$(hierarchies)" ] || return 0
  for cgroup in "${CGROUPS[@]}"; do
    [ -z "$(cgroup_dirs "$cgroup")" ] || die "the cgroup /$cgroup exists: is another kubelet on this host?"
  done
}

# --- after ----------------------------------------------------------------------------------------

# suite_pids: everything that the suite has started works in its directory; the rest of the host does not.
suite_pids() {
  local link
  for link in /proc/[0-9]*/cwd; do
    [ "$(readlink "$link" 2>/dev/null)" != "$WORK" ] || basename "$(dirname "$link")"
  done
}

end_processes() {
  local signal pids try
  for signal in TERM KILL; do
    pids=$(suite_pids)
    # shellcheck disable=SC2086 # a list of pids
    [ -z "$pids" ] || kill -"$signal" $pids 2>/dev/null || true
    for ((try = 0; try < 100; try++)); do
      [ -n "$(suite_pids)" ] || return 0
      sleep 0.1
    done
  done
  echo "cannot end these processes of the suite: $pids"
  return 1
}

# The order matters: without the kubelet nothing restarts, without containers nothing holds the volumes. The mounts of a
# run that was killed are gone with its namespace.
remove_state() {
  local cgroup
  end_processes
  stop_daemon "registry-$PULLS_PORT"
  purge_instance "$INSTANCE"
  if [ -n "${NODE_E2E_INSIDE:-}" ]; then
    unmount_below /var/lib/kubelet
    for cgroup in "${CGROUPS[@]}"; do remove_cgroup "$cgroup"; done
  else
    remove_apart
  fi
  rm -rf --one-file-system "$WORK" "$DIR/units"
}

# clean_up: what a run has left, its own or one that was killed. The file says that there was one.
clean_up() {
  [ -e "$DIR/in-use" ] || return 0
  trap '' INT TERM
  step "removing the suite's processes, pods, mounts, cgroups and files" remove_state
  trap - INT TERM
}

# --- run ------------------------------------------------------------------------------------------

# ginkgo runs a suite in the directory where the suite is, and the suite writes there: so it gets a link.
prepare_work() {
  local program=$K8S_BIN/kubelet name stand_ins='systemd-run systemctl sudo'
  [ "$KIND" = upstream ] || program=$REPO_ROOT/bin/kubelet
  mkdir -p "$WORK/bin" "$WORK/path" "$DIR/units"
  ln -s "$K8S_BIN/e2e_node.test" "$WORK/e2e_node.test"
  ln -s "$program" "$WORK/bin/kubelet"
  [ -z "$MACHINE_DRIVER" ] || stand_ins=sudo
  for name in $stand_ins; do ln -s "$SCRIPTS/service-manager.sh" "$WORK/path/$name"; done
  ln -s "$BIN_DIR/tools/etcd" "$WORK/path/etcd"
  sed "s/^cgroupDriver:.*/cgroupDriver: ${MACHINE_DRIVER:-cgroupfs}/" "$SCRIPTS/base.yaml" >"$WORK/base.yaml"
}

run() {
  local options endpoint
  endpoint=$("$HOST_SCRIPTS/containerd.sh" up 2.1 "$INSTANCE")
  "$CLUSTER_SCRIPTS/images.sh" "$INSTANCE"
  prepare_work
  prepare_pulls
  options=(--suite "$K8S_BIN" --work "$WORK" --endpoint "$endpoint" --kubelet "$KIND"
    --output "$DIR/reports/$(date +%Y-%m-%d-%H%M%S)-$KIND")
  [ -z "$MACHINE_DRIVER" ] || options+=(--machine)
  [ -z "${FOCUS:-}" ] || options+=(--focus "$FOCUS")
  [ -z "${QUICK:-}" ] || options+=(--quick)
  [ -z "${SKIP:-}" ] || options+=(--skip "$SKIP")
  [ -z "${PROCS:-}" ] || options+=(--procs "$PROCS")
  [ -z "${TIMEOUT:-}" ] || options+=(--timeout "$TIMEOUT")
  PATH="$WORK/path:$PATH" NODE_E2E_UNITS="$DIR/units" \
    "$(node_program)" --disable-warning=ExperimentalWarning "$SCRIPTS/node-e2e.ts" "${options[@]}"
}

KIND=${1:-}
[[ $# = 1 && $KIND =~ ^(ours|upstream|clean)$ ]] || { sed -n '/^# usage/,/clean  /s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ "$KIND" != clean ] || [ -e "$DIR/in-use" ] || exit 0
require_root node-e2e
make_dirs
mkdir -p "$DIR"
if [ -n "$MACHINE_DRIVER" ]; then
  link_usual_socket
  run
  exit
fi
if [ -z "${NODE_E2E_INSIDE:-}" ]; then
  exec 9>"$RUN_DIR/node-e2e.lock"
  flock -n 9 || die "another run of these tests is under way"
  clean_up
  rm -f "$DIR/in-use"
  [ "$KIND" != clean ] || exit 0
  require_free
  "$HOST_SCRIPTS/install.sh" 2.1
  programs=(e2e_node.test nmeter sample-device-plugin ginkgo)
  [ "$KIND" = ours ] || programs+=(kubelet)
  "$CLUSTER_SCRIPTS/build.sh" "${programs[@]}"
  need_etcd
  touch "$DIR/in-use"
  NODE_E2E_INSIDE=1 run_apart "${BASH_SOURCE[0]}" "$KIND"
  rm -f "$DIR/in-use"
  exit "$APART_OUTCOME"
fi
trap clean_up EXIT
step "making the network of the suite" make_network
step "mounting cgroups and disk of the suite" mount_apart
run
