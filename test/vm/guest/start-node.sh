#!/usr/bin/env bash
# Inside the machine, at every boot: network to the API server outside, containerd, and the kubelet as a unit, in the
# way a node has them. What the node keeps lies in /payload/node and /payload/host.
set -euo pipefail
cd /payload/tree
. /payload/node/plan # DRIVER: written by vm-node.ts
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" LC_ALL=C HOME=/root
export TMPDIR=/var/tmp KUBELET_TS_HOST_DIR=/payload/host

# In namespaces it is linked to the outside while systemd starts.
until [ -e /sys/class/net/eth0 ]; do sleep 0.1; done
ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2

# As on any host, what describes running containers does not outlive them.
state=/payload/host/instances/$DRIVER/state
mkdir -p "$state"
mount -t tmpfs -o mode=0711 tmpfs "$state"
rm -f /payload/host/run/*.pid
scripts/host/containerd.sh up 2.1 "$DRIVER"

systemd-run --quiet --unit=kubelet.service --service-type=notify --property=Restart=always --property=RestartSec=1 \
  --property=TimeoutStartSec=600 --property=StartLimitIntervalSec=0 --property=KillMode=process \
  --property=StandardOutput=append:/payload/node/kubelet.log --property=StandardError=append:/payload/node/kubelet.log \
  /payload/tree/bin/kubelet --config=/payload/node/config.json --kubeconfig=/payload/node/kubeconfig.json \
  --root-dir=/payload/node/root --cert-dir=/payload/node/pki --hostname-override=vm-node --node-ip=10.0.2.15 --v=2
