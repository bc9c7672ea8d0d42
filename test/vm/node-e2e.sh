#!/usr/bin/env bash
# Runs upstream's own tests of a kubelet (test/e2e_node) in the virtual machine: those that want systemd as process 1
# or cgroup v2, which hosts without them cannot run. ../node-e2e/node-e2e.sh runs inside as it does outside, but the
# machine is its own: nothing is set apart, and the kubelet is a unit of systemd. Ends with its exit code; its reports
# are kept beside those of `make node-e2e`.
#
# usage: [FOCUS=REGEX] [SKIP=REGEX] [DRIVER=cgroupfs] [PROCS=1] [TIMEOUT=5h] [VM_TIMEOUT=SECONDS] [VM_KIND=…] [VM_COUNTED=1]
#        node-e2e.sh [ours|upstream]
SUITE_TIMEOUT=${TIMEOUT:-5h}
VM_TIMEOUT=${VM_TIMEOUT:-20000}
. "$(dirname "${BASH_SOURCE[0]}")/vm.sh"
. "$REPO_ROOT/test/cluster/env.sh"

REPORTS=$HOST_DIR/node-e2e/reports
PROGRAMS=(e2e_node.test ginkgo nmeter agnhost nnp image-names)

# wanted_images: all of them; or what the tests for such a machine start, because unpacking one takes an emulated
# processor up to a minute.
wanted_images() {
  local names=$IMAGES_DIR/conformance-$K8S_VERSION/names
  [ "$KIND" != namespaces ] || { cat "$names"; return; }
  grep /busybox: "$names"
  grep /agnhost: "$names" | sort -V | tail -n 1
}

# With their stamps, so that nothing is built inside.
copy_suite() {
  local host=$1 name images=images/conformance-$K8S_VERSION
  mkdir -p "$host/bin/kubernetes-$K8S_VERSION"
  for name in "${PROGRAMS[@]}"; do
    cp -a "$K8S_BIN/$name" "$K8S_BIN/.$name.stamp" "$host/bin/kubernetes-$K8S_VERSION/"
  done
  mkdir -p "$host/$images"
  cp -a "$HOST_DIR/$images/recipe" "$host/$images/"
  for name in $(wanted_images | tee "$host/$images/names"); do
    name=${name##*/}
    cp -a "$HOST_DIR/$images/${name/:/-}.tar" "$host/$images/"
  done
}

fill_payload() {
  copy_tree "$WORK/payload/tree"
  copy_programs "$WORK/payload/host"
  copy_suite "$WORK/payload/host"
}

# Read by guest/run-suites.sh.
write_plan() {
  printf 'DRIVERS=%q FILES= TEST_FLAGS= KUBELET_TS_PATIENCE=%q\n' "${DRIVER:-systemd}" "$1"
  printf 'export KUBELET=%q FOCUS=%q SKIP=%q TIMEOUT=%q PROCS=%q\n' "$KUBELET" "${FOCUS:-}" "${SKIP:-}" "$SUITE_TIMEOUT" "${PROCS:-1}"
}

# Also of a run that was cut off.
save_results() {
  local from=$WORK/results
  if [ -f "$WORK/payload.img" ]; then
    mkdir -p "$from"
    e2fsck -fy "$WORK/payload.img" >/dev/null 2>&1 || true
    debugfs -R "rdump /host/node-e2e/reports $from" "$WORK/payload.img" >/dev/null 2>&1
    from=$from/reports
  else
    from=$WORK/payload/host/node-e2e/reports
  fi
  [ -d "$from" ] || return 0
  mkdir -p "$REPORTS"
  cp -a "$from/." "$REPORTS/"
  ls -d "$from"/* | sed "s|.*/|[host] kept: $REPORTS/|" >&2
}

KUBELET=${1:-ours}
[[ $# -le 1 && $KUBELET =~ ^(ours|upstream)$ ]] || { sed -n '/^# usage/,/^#        node/s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ "$KUBELET" = ours ] || PROGRAMS+=(kubelet)
[ "$KIND" != namespaces ] || PROGRAMS+=(sample-device-plugin)
prepare vm-node-e2e
"$CLUSTER_SCRIPTS/build.sh" "${PROGRAMS[@]}"
"$CLUSTER_SCRIPTS/images.sh" --build
need_etcd
run_in_machine test
