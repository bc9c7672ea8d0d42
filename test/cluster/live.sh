#!/usr/bin/env bash
# Runs the live tests (live/*.test.ts) on the running test cluster, whose node is our kubelet.
#
# usage: live.sh [FILE…]                    (default: all of them)
#        live.sh --script FILE [OPTION…]    a program of ours that needs the same environment
# KUBELET_TS_API_DOWN_SECONDS (15) and KUBELET_TS_BLACK_HOLE_SECONDS (20) say how long the API server is away.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

[ -f "$ADMIN_CONFIG" ] || die "there is no test cluster; run: make cluster-up"
export KUBECONFIG=$ADMIN_CONFIG PATH=$K8S_BIN:$PATH KUBELET_TS_HOST_DIR=$HOST_DIR KUBELET_TS_NODE=$NODE_NAME
export KUBELET_HEALTHZ_PORT=${KUBELET_HEALTHZ_PORT:-10248} KUBELET_TS_API_PORT=$API_PORT
NODE=("$(node_program)" --disable-warning=ExperimentalWarning)
if [ "${1:-}" = --script ]; then
  shift
  exec "${NODE[@]}" "$@"
fi
"$CLUSTER_SCRIPTS/build.sh" live
files=("$@")
[ $# -gt 0 ] || files=("$CLUSTER_SCRIPTS"/live/*.test.ts)
exec timeout "${KUBELET_TS_LIVE_SECONDS:-2400}" "${NODE[@]}" \
  --test --test-concurrency=1 --test-timeout=900000 "${files[@]}"
