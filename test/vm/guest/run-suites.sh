#!/usr/bin/env bash
# Inside the machine: starts a private containerd for each cgroup driver and runs the test files of the plan on it, or
# upstream's node tests.
# What it prints goes to the port "report", its exit code to the port "result"; the script outside reads both.
set -uo pipefail
PORTS=${PORTS:-/dev/virtio-ports}
cd /payload/tree || exit 1
. /payload/plan # DRIVERS, FILES, TEST_FLAGS, KUBELET_TS_PATIENCE: written by vm.sh; KUBELET: by node-e2e.sh
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" LC_ALL=C HOME=/root
# Not /tmp, which lies in memory.
export TMPDIR=/var/tmp KUBELET_TS_HOST_DIR=/payload/host
export KUBELET_TS_PATIENCE

# The machine has no network; the kubelet looks for its address where the default route leads.
make_network() {
  ip link add eth0 type veth peer name wire
  ip address add 192.0.2.1/24 dev eth0
  ip link set wire up
  ip link set eth0 up
  ip route add default via 192.0.2.254
}

run_driver() {
  local driver=$1
  KUBELET_TS_CGROUP_DRIVER=$driver
  KUBELET_TS_CONTAINERD_2_1=$(scripts/host/containerd.sh up 2.1 "$driver") || return 1
  export KUBELET_TS_CGROUP_DRIVER KUBELET_TS_CONTAINERD_2_1
  echo "== cgroup driver $driver ($(cut -d' ' -f1 /proc/uptime | cut -d. -f1) s after power-on)"
  [ -z "${KUBELET:-}" ] || { test/vm/guest/run-node-e2e.sh "$driver"; return; }
  # containerd 1.6 is not brought in.
  # shellcheck disable=SC2086 # lists of words
  node_modules/.bin/node --disable-warning=ExperimentalWarning $TEST_FLAGS --import ./test/fixed-seed.ts \
    --test --test-concurrency=1 --test-timeout=1800000 --test-reporter=spec --test-skip-pattern='/containerd 1\.6/' $FILES
}

run_all() {
  local rc=0 driver
  echo "Linux $(uname -r), $(systemctl --version | head -n 1), $(stat -fc %T /sys/fs/cgroup), $(cat /sys/fs/cgroup/cgroup.controllers)"
  make_network
  for driver in $DRIVERS; do
    run_driver "$driver" || {
      rc=1
      echo "== the end of the journal"
      journalctl --no-pager --lines=40 --output=short-monotonic
    }
  done
  return $rc
}

run_all 2>&1 </dev/null | cat >"$PORTS/report"
echo "${PIPESTATUS[0]}" >"$PORTS/result"
