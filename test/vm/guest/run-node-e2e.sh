#!/usr/bin/env bash
# Inside the machine: upstream's node tests, with what this machine can offer them.    usage: run-node-e2e.sh DRIVER
# KUBELET, FOCUS and the rest come from the plan.
set -euo pipefail

# For the tests of swap. In namespaces it would be the host's.
make_swap() {
  fallocate -l 1G /var/swap
  chmod 600 /var/swap
  mkswap /var/swap >/dev/null
  swapon /var/swap
}

if systemd-detect-virt --quiet --container; then
  # The upstream kubelet does not start without; the host's own would show it what others do.
  ln -sfn null /dev/kmsg
else
  make_swap
fi
# The upstream kubelet believes what the tests claim.
if [ "$KUBELET" = ours ]; then
  setsid test/vm/guest/announce-shutdowns.sh >/var/log/announce-shutdowns.log 2>&1 </dev/null &
fi
NODE_E2E_MACHINE=$1 test/node-e2e/node-e2e.sh "$KUBELET"
