# shellcheck shell=bash
# Shared by the scripts of this folder (sourced, never run): the two machines of the cluster, and where their files are.
. "$(dirname "${BASH_SOURCE[0]}")/../cluster/env.sh"

KUBEADM_SCRIPTS=$REPO_ROOT/test/kubeadm
DIR=$HOST_DIR/kubeadm
MACHINES=(control-plane worker)
# Two ends of one wire, in addresses that are for examples only.
declare -A ADDRESS=([control-plane]=192.0.2.1 [worker]=192.0.2.2)
# Of their networks for pods, which are 10.(191 + N).0.0/16 (containerd.sh): what the cluster's controller gives the
# first and the second node of 10.192.0.0/15, in pieces of that size.
declare -A NETWORK=([control-plane]=1 [worker]=2)
. "$REPO_ROOT/test/node-e2e/apart.sh"

# use_machine NAME: for the functions of apart.sh, and MACHINE for ours.
use_machine() {
  [ -n "${ADDRESS[$1]-}" ] || die "there is no machine \"$1\": ${MACHINES[*]}"
  MACHINE=$DIR/machines/$1
  INSTANCE=kubeadm-$1
  APART_CGROUP=kts-kubeadm${HOST_TAG:+-$HOST_TAG}-$1
}

# machine_pid: of its first process, as this host counts.
machine_pid() { cat "$MACHINE/pid" 2>/dev/null || die "the machine \"$MACHINE\" is not there"; }
