# shellcheck shell=bash
# Shared by the scripts of this folder (sourced, never run): which Kubernetes is tested against, and where its
# programs, certificates and state live. Everything is below the state directory of scripts/host, so that
# `make clean-host` removes it as well.
. "$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts/host" && pwd -P)/lib.sh"

CLUSTER_SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# The version is what go.mod requires: one place to change it.
K8S_VERSION=$(awk '$1 == "k8s.io/kubernetes" { print substr($2, 2) } $2 == "k8s.io/kubernetes" { print substr($3, 2) }' "$CLUSTER_SCRIPTS/go.mod")
K8S_BIN=$BIN_DIR/kubernetes-$K8S_VERSION
CLUSTER_DIR=$HOST_DIR/cluster
PKI_DIR=$CLUSTER_DIR/pki
NODE_NAME=kts-node
API_PORT=${KUBELET_TS_API_PORT:-6443}
ADMIN_CONFIG=$CLUSTER_DIR/admin.conf
NODE_CONFIG=$CLUSTER_DIR/node.conf
# Beside the other logs of the control plane, and deleted with them.
AUDIT_LOG=$RUN_DIR/cluster-audit.log

# host_ip: the address that the API server and the node use. It must not be a loopback address (the API server
# refuses to advertise one) nor one of our own bridges.
host_ip() {
  local ip=${KUBELET_TS_HOST_IP:-}
  [ -n "$ip" ] || ip=$(ip -4 -o addr show scope global | awk '$2 !~ /^(kts|cni|docker|br-|veth|virbr)/ { sub("/.*", "", $4); print $4; exit }')
  [ -n "$ip" ] || die "this host has no IPv4 address besides loopback and bridges; set KUBELET_TS_HOST_IP"
  echo "$ip"
}

cluster_kubectl() { "$K8S_BIN/kubectl" --kubeconfig "$ADMIN_CONFIG" "$@"; }

# need_etcd: Debian's, only unpacked.
need_etcd() { [ -x "$BIN_DIR/tools/etcd" ] || step "unpacking etcd" get_etcd; }

get_etcd() (
  . "$HOST_SCRIPTS/install.sh"
  # The lists of a fresh host are empty.
  [ -n "$(candidate host etcd-server)" ] || prepare_suite host
  get_tool etcd
  "$BIN_DIR/tools/etcd" --version
  rm -rf "$HOST_DIR/apt"
)
