#!/usr/bin/env bash
# The service "kubelet" of a machine, as systemd would run it with the drop-in of kubeadm's package: the kubelet with
# the files that kubeadm writes, and again when it has ended, after as long as that unit waits. Ends with SIGTERM, after
# the kubelet. Started by systemctl.sh, which says what is in /run/kubelet-unit; "ended" is there between two starts.
set -euo pipefail

STATE=${KUBELET_UNIT_STATE:-/run/kubelet-unit}
RESTART_SECONDS=10

words() {
  local KUBELET_KUBEADM_ARGS='' KUBELET_EXTRA_ARGS='' file
  for file in /var/lib/kubelet/kubeadm-flags.env /etc/default/kubelet; do
    # shellcheck source=/dev/null
    [ ! -f "$file" ] || . "$file"
  done
  # shellcheck disable=SC2086 # lists of words, as systemd splits them
  printf '%s\n' --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf \
    --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
}

kubelet=
trap '[ -z "$kubelet" ] || kill -TERM "$kubelet" 2>/dev/null || true; [ -z "$kubelet" ] || wait "$kubelet" || true; exit 0' TERM
[ "$(<"$STATE/type")" != notify ] || export NOTIFY_SOCKET=$STATE/notified
while :; do
  rm -f "$STATE/ended"
  mapfile -t flags < <(words)
  echo "== kubelet ${flags[*]}"
  kubelet "${flags[@]}" &
  kubelet=$!
  status=0
  wait "$kubelet" || status=$?
  kubelet=
  echo "== the kubelet has ended with $status"
  touch "$STATE/ended"
  sleep "$RESTART_SECONDS" &
  wait $!
done
