#!/usr/bin/env bash
# Everything that `make test` runs when the host is set up. First the checks, which need no root. Then what needs root and
# a runtime, in lanes that run beside each other, because most of their time is waiting. They share no runtime, network,
# cgroup or directory.
#   local    the integration tests, on the private containerds of `make host-up`
#   cluster  a control plane with our kubelet as its node: live tests, then quick conformance
#   node     upstream's quick node tests, in a network and mounts of their own
#   machine  the quick part of the tests in a virtual machine with systemd and cgroup v2
# Programs of Kubernetes that are missing are built on the way, beside the checks too: the lane of the cluster is the
# longest and waits for the first of them. Every line of output begins with its lane. All lanes run to their end, also
# when one of them fails; when the checks fail none begins.
#
# usage: everything.sh          (from `make test`, which sets the host up before)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lanes=$(mktemp -d)
exec 3>&1

# lane NAME COMMAND…: its exit code and its seconds are left in files.
lane() {
  local name=$1 began=$SECONDS rc=0
  shift
  { "$@" 2>&1 || rc=$?; echo "$rc" >"$lanes/$name"; echo "ended with $rc after $((SECONDS - began)) s"; } </dev/null |
    sed -u "s/^/[$name] /" >&3
}

cluster() {
  local rc=0
  test/cluster/build.sh control-plane live || return
  until [ -e "$lanes/checked" ]; do sleep 1; done
  lane node node &
  in_cluster || rc=$?
  wait
  return "$rc"
}

in_cluster() {
  # One that an earlier run left has the kubelet of another build.
  test/cluster/kubelet.sh stop cluster && make cluster-up && test/cluster/live.sh && make conformance QUICK=1
}

node() {
  test/cluster/build.sh node-e2e e2e metrics-server && QUICK=1 test/node-e2e/node-e2e.sh ours
}

# Its clock counts instructions: however busy the other lanes keep the host, no time limit inside is missed. So it
# leaves the host to them.
machine() {
  [ "$(uname -m)" = x86_64 ] || { echo "not run: only an x86-64 host can emulate the machine"; return; }
  VM_COUNTED=1 nice -n 10 make vm-test QUICK=1
}

finish() {
  local rc=$? name
  wait
  [ ! -e "$lanes/checked" ] || for name in local cluster node machine; do
    [ "$(cat "$lanes/$name" 2>/dev/null)" = 0 ] || { echo "[$name] FAILED" >&2; rc=1; }
  done
  rm -rf "$lanes"
  make cluster-down || rc=1
  exit "$rc"
}

end_lanes() {
  trap "" INT TERM
  # shellcheck disable=SC2046 # a list of process groups
  kill -TERM -- $(jobs -p | sed s/^/-/) 2>/dev/null || true
}

# Each lane is a process group, so that an interrupt reaches everything in it.
set -m
trap finish EXIT
trap end_lanes INT TERM

lane cluster cluster &
# Its simulation is not to wait until all programs are built. As a job: an interrupt would wait for the end of anything else.
make check long-tests LAST= </dev/null &
wait "$!" || { end_lanes; exit 1; }
touch "$lanes/checked"
lane local make integration &
lane machine machine &
wait
