#!/usr/bin/env bash
# Prepares what conformance.ts needs (suite, images) and runs it against the node of the running test cluster.
#
# usage: [FOCUS=REGEX] [SKIP=REGEX] [QUICK=1] [PROCS=4] conformance.sh KUBELET
# KUBELET (ours or upstream) is what the report says was tested; `make conformance` starts that one before.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

[ $# = 1 ] || { sed -n '/^# usage/,/^# KUBELET/s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ -f "$ADMIN_CONFIG" ] || die "there is no test cluster; run: make cluster-up"
nodes=$(cluster_kubectl get nodes -o name | grep -vx "node/$NODE_NAME" || true)
[ -z "$nodes" ] || die "the cluster has other nodes, which would run some of the tests' pods; delete first: $(xargs <<<"$nodes")"
"$CLUSTER_SCRIPTS/build.sh" e2e
"$CLUSTER_SCRIPTS/images.sh" cluster
options=(--suite "$K8S_BIN" --kubeconfig "$ADMIN_CONFIG" --kubelet "$1" --output "$HOST_DIR/conformance/$(date +%Y-%m-%d-%H%M%S)-$1")
[ -z "${FOCUS:-}" ] || options+=(--focus "$FOCUS")
[ -z "${SKIP:-}" ] || options+=(--skip "$SKIP")
[ -z "${PROCS:-}" ] || options+=(--procs "$PROCS")
[ -z "${QUICK:-}" ] || options+=(--quick)
exec "$(node_program)" --disable-warning=ExperimentalWarning "$CLUSTER_SCRIPTS/conformance.ts" "${options[@]}"
