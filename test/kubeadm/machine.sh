#!/usr/bin/env bash
# Makes a machine of the namespaces that it finds itself in, as their process 1, and lives until it is killed; all
# other processes and mounts of the machine end with it. What kubeadm, the kubelet and pods write goes to files of the
# machine, wherever they write it: kubeadm's places cannot be chosen. Programs are the host's, and those of its "path".
#
# usage (kubeadm.sh only): machine.sh control-plane|worker
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# overlay PLACE: as on the host, and what is written is the machine's.
overlay() {
  local files=$MACHINE/files$1
  mkdir -p "$files"/{written,work}
  mount -t overlay -o "lowerdir=$1,upperdir=$files/written,workdir=$files/work" overlay "$1"
}

# The state directory and the tree are below a place that is covered, perhaps.
set_aside() {
  mount -t tmpfs tmpfs /mnt
  mkdir /mnt/{host,tree}
  mount --rbind "$HOST_DIR" /mnt/host
  mount --rbind "$REPO_ROOT" /mnt/tree
}

put_back() {
  mkdir -p "$HOST_DIR"
  mount --move /mnt/host "$HOST_DIR"
  mkdir -p "$REPO_ROOT"
  mount --move /mnt/tree "$REPO_ROOT"
  umount /mnt
}

mount_files() {
  local place
  set_aside
  for place in /etc /usr; do overlay "$place"; done
  # An overlay's layers must not be one in the other, and the state directory is below /var/lib; so that comes last.
  for place in /var/log /root /var/lib; do
    mkdir -p "$MACHINE/files$place"
    mount --bind "$MACHINE/files$place" "$place"
  done
  mount -t tmpfs -o mode=755 tmpfs /run
  put_back
}

configure() {
  local name
  hostname "kts-$1"
  ip link set lo up
  echo 1 >/proc/sys/net/ipv4/ip_forward
  # A copy first: a link in /etc may lead to a place that is not there any more.
  rm -f /etc/resolv.conf
  echo 'nameserver 192.0.2.254' >/etc/resolv.conf
  {
    echo '127.0.0.1 localhost'
    for name in "${MACHINES[@]}"; do echo "${ADDRESS[$name]} kts-$name"; done
  } >/etc/hosts
  mkdir -p /run/kubelet-unit
  cp "$MACHINE/unit-type" /run/kubelet-unit/type
}

use_machine "${1:?which machine}"
cd /
mount_cgroups
mount_files
configure "$1"
mount --make-rshared /
touch "$MACHINE/is-up"
exec "$BIN_DIR/tools/tini" -- sleep infinity
