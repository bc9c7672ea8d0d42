#!/usr/bin/env bash
# Runs a program on a machine of the cluster: in its namespaces and cgroups, with nothing of the caller's environment.
#
# usage: enter.sh control-plane|worker PROGRAM [WORD…]
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

use_machine "${1:?which machine}"
pid=$(machine_pid)
shift
join_cgroups
exec env -i PATH="$MACHINE/path:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LC_ALL=C \
  KUBECONFIG=/etc/kubernetes/admin.conf KUBELET_TS_HOST_DIR="$HOST_DIR" \
  nsenter --target "$pid" --mount --uts --ipc --net --pid --cgroup --wd=/ -- "$@"
