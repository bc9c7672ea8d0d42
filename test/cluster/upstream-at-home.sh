#!/bin/sh
# Starts the upstream kubelet ($UPSTREAM_KUBELET) so that its root directory is /var/lib/kubelet for it: it keeps its
# device plugins there whatever --root-dir says. In a mount namespace of its own, so that no other process sees that.
set -eu
for word in "$@"; do
  case $word in --root-dir=*) root=${word#*=} ;; esac
done
mkdir -p /var/lib/kubelet
# shellcheck disable=SC2016 # the inner shell's words
exec unshare --mount -- sh -c 'mount --bind "$0" /var/lib/kubelet && exec "$@"' "$root" "$UPSTREAM_KUBELET" "$@"
