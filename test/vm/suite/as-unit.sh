#!/usr/bin/env bash
# Stands in for bin/kubelet: runs it as a unit of systemd called $KUBELET_UNIT, in the way a node does, and prints its
# log. Ends, with the unit, on SIGTERM.
set -euo pipefail
log=$(mktemp)
# The process that follows the log holds the pipe that our caller reads to its end.
end() {
  kill "$follower" 2>/dev/null || true
  rm -f "$log"
}
trap end EXIT
trap 'systemctl stop "$KUBELET_UNIT"; exit 0' TERM
tail -n +1 -F "$log" 2>/dev/null &
follower=$!
# Returns when the kubelet has said that it is ready.
systemd-run --quiet --collect --unit="$KUBELET_UNIT" --service-type=notify --property=Restart=always \
  --property=RestartSec=1 --property=WatchdogSec="$KUBELET_WATCHDOG_SECONDS" --property=TimeoutStartSec=600 \
  --property=StandardOutput="append:$log" --property=StandardError="append:$log" \
  --property=StartLimitIntervalSec=0 --setenv=TMPDIR="${TMPDIR:-/tmp}" \
  "$(dirname "${BASH_SOURCE[0]}")/../../../bin/kubelet" "$@"
echo '{"ts":0,"msg":"systemd reports the unit as started"}'
wait "$follower"
