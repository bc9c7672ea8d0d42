#!/usr/bin/env bash
# Runs upstream's own tests of a kubelet (test/e2e_node) against ours or the upstream one, on a private containerd,
# and removes everything afterwards, also after an interrupt. The suite brings its own etcd and API server. Its ports
# cannot be chosen, so all of it runs in a network namespace of its own, beside whatever kubelet the host has; nor can
# the kubelet's directory /var/lib/kubelet, so nothing else on the host may use that.
#
# usage: [FOCUS=REGEX] [SKIP=REGEX] [PROCS=2] [TIMEOUT=60m] node-e2e.sh ours|upstream
#        node-e2e.sh clean     only removes what an interrupted run left
. "$(dirname "${BASH_SOURCE[0]}")/../cluster/env.sh"
. "$HOST_SCRIPTS/purge.sh"
. "$HOST_SCRIPTS/images.sh"

SCRIPTS=$REPO_ROOT/test/node-e2e
INSTANCE=node-e2e
DIR=$HOST_DIR/node-e2e
WORK=$DIR/work
ROOT_DIR=/var/lib/kubelet
LOGS_DIR=/var/log/pods
# What the kubelet makes in each hierarchy of cgroups.
CGROUPS=(kubepods kubelet.slice)

# --- before ---------------------------------------------------------------------------------------

# A kubelet that was here and is gone may leave empty directories.
is_unused() { [ ! -e "$1" ] || { [ -d "$1" ] && [ -z "$(find "$1" ! -type d -print -quit)" ] && [ -z "$(mounts_below "$1")" ]; }; }

require_free() {
  local dir cgroup
  for dir in "$ROOT_DIR" "$LOGS_DIR"; do
    is_unused "$dir" || die "\"$dir\" is in use, and the suite cannot use another directory; nothing was changed"
  done
  for cgroup in "${CGROUPS[@]}"; do
    [ -z "$(cgroup_dirs "$cgroup")" ] || die "the cgroup /$cgroup exists: is another kubelet on this host?"
  done
}

cgroup_dirs() { ls -d "/sys/fs/cgroup/$1" /sys/fs/cgroup/*/"$1" 2>/dev/null || true; }

# A network namespace begins with a loopback interface that is down. The kubelet looks for its address where the
# default route leads; two ends of one wire are enough for that.
make_network() {
  ip link set lo up
  ip link add eth0 type veth peer name wire
  ip address add 192.0.2.1/24 dev eth0
  ip link set wire up
  ip link set eth0 up
  ip route add default via 192.0.2.254
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

remove_cgroup() {
  local dir try
  for dir in $(cgroup_dirs "$1"); do
    # The kernel frees a cgroup a moment after its last process is gone.
    for ((try = 0; try < 20; try++)); do
      [ -d "$dir" ] || break
      find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
    [ ! -d "$dir" ] || { echo "the cgroup \"$dir\" is still in use"; return 1; }
  done
}

# The order matters: without the kubelet nothing restarts, without containers nothing holds the volumes.
remove_state() {
  local cgroup
  end_processes
  purge_instance "$INSTANCE"
  unmount_below "$ROOT_DIR"
  for cgroup in "${CGROUPS[@]}"; do remove_cgroup "$cgroup"; done
  find /var/log/containers -type l -lname "$LOGS_DIR/*" -delete 2>/dev/null || true
  rmdir /var/log/containers 2>/dev/null || true
  rm -rf --one-file-system "$ROOT_DIR" "$LOGS_DIR" "$WORK" "$DIR/units"
  rm -f "$DIR/in-use"
}

# The file says that what is in the fixed places is ours: without it nothing there is touched.
clean_up() {
  [ -e "$DIR/in-use" ] || return 0
  trap '' INT TERM
  step "removing the suite's processes, pods, mounts, cgroups and files" remove_state
  trap - INT TERM
}

# --- run ------------------------------------------------------------------------------------------

# ginkgo runs a suite in the directory where the suite is, and the suite writes there: so it gets a link.
prepare_work() {
  local program=$K8S_BIN/kubelet name
  [ "$KIND" = upstream ] || program=$REPO_ROOT/bin/kubelet
  mkdir -p "$WORK/bin" "$WORK/path" "$DIR/units"
  ln -s "$K8S_BIN/e2e_node.test" "$WORK/e2e_node.test"
  ln -s "$program" "$WORK/bin/kubelet"
  for name in systemd-run systemctl sudo; do ln -s "$SCRIPTS/service-manager.sh" "$WORK/path/$name"; done
  ln -s "$BIN_DIR/tools/etcd" "$WORK/path/etcd"
  cp "$SCRIPTS/base.yaml" "$WORK/base.yaml"
}

# The tests of device plugins run upstream's sample plugin as a pod, from an image that the suite itself does not list.
import_sample_plugin() {
  local name=registry.k8s.io/e2e-test-images/sample-device-plugin:1.7 build=$WORK/sample-device-plugin
  base_rootfs "$build/root"
  install -m 755 "$K8S_BIN/sample-device-plugin" "$build/root/sampledeviceplugin"
  make_image --name "$name" --rootfs "$build/root" --output "$build/image.tar" --entrypoint=/sampledeviceplugin
  instance_ctr "$INSTANCE" images import "$build/image.tar"
  rm -rf "$build"
}

# Tests that fill the disk make a kubelet delete every image it may, and none of these can be pulled again: they are
# pinned. The pause image is wanted by upstream's name as well.
keep_images() {
  local name pause
  pause=$("$K8S_BIN/e2e.test" --list-images 2>/dev/null | grep '^registry\.k8s\.io/pause:' | head -n 1)
  instance_ctr "$INSTANCE" images tag --force "$PAUSE_IMAGE" "$pause"
  for name in $(instance_ctr "$INSTANCE" images ls -q); do
    instance_ctr "$INSTANCE" images label "$name" io.cri-containerd.pinned=pinned
  done
}

run() {
  local options endpoint
  endpoint=$("$HOST_SCRIPTS/containerd.sh" up 2.1 "$INSTANCE")
  "$CLUSTER_SCRIPTS/images.sh" "$INSTANCE"
  prepare_work
  step "importing the image of the sample device plugin" import_sample_plugin
  step "pinning the images" keep_images
  options=(--suite "$K8S_BIN" --work "$WORK" --endpoint "$endpoint" --kubelet "$KIND"
    --output "$DIR/reports/$(date +%Y-%m-%d-%H%M%S)-$KIND")
  [ -z "${FOCUS:-}" ] || options+=(--focus "$FOCUS")
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
exec 9>"$RUN_DIR/node-e2e.lock"
flock -n 9 || die "another run of these tests is under way"
clean_up
[ "$KIND" != clean ] || exit 0
require_free
if [ -z "${NODE_E2E_INSIDE:-}" ]; then
  "$HOST_SCRIPTS/install.sh" 2.1
  programs=(e2e_node.test nmeter sample-device-plugin ginkgo)
  [ "$KIND" = ours ] || programs+=(kubelet)
  "$CLUSTER_SCRIPTS/build.sh" "${programs[@]}"
  need_etcd
  NODE_E2E_INSIDE=1 exec unshare --net -- "${BASH_SOURCE[0]}" "$KIND"
fi
touch "$DIR/in-use"
trap clean_up EXIT
step "making the network of the suite" make_network
run
