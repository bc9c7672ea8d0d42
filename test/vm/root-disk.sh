#!/usr/bin/env bash
# Makes the disk of the virtual machine once: Debian 13 with systemd and a kernel, from the host's own package
# source. A second run only compares a stamp. Prints the directory with disk.img, vmlinuz and initrd.
# usage: root-disk.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/host/install.sh"

VM_SCRIPTS=$REPO_ROOT/test/vm
SUITE=trixie
DISK_DIR=$HOST_DIR/vm/$SUITE
DISK_SIZE=6G
# A machine like a node's, then what scripts/host/install.sh wants of a host, then the libraries of Node.
PACKAGES=systemd,systemd-sysv,dbus,udev,linux-image-cloud-amd64,kmod,procps,e2fsprogs
PACKAGES+=,iproute2,iptables,runc,containernetworking-plugins,curl,openssl,libstdc++6,libatomic1
# What the tests of storage and of confinement need; the agent is how tests outside reach in.
PACKAGES+=,xfsprogs,btrfs-progs,nfs-kernel-server,nfs-common,open-iscsi,tgt,multipath-tools,apparmor,qemu-guest-agent
# Started by the tests that want them, or never: a boot has to be short. AppArmor's own profiles take longest.
UNWANTED_UNITS=(apparmor.service nfs-client.target nfs-server.service rpcbind.service rpcbind.socket nfs-blkmap.service
  rpc-statd.service open-iscsi.service iscsid.service iscsid.socket tgt.service multipathd.service multipathd.socket
  systemd-pstore.service getty@tty1.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer
  e2scrub_all.timer e2scrub_reap.service fstrim.timer xfs_scrub_all.timer)
declare -A VM_PACKAGE_OF=([mmdebstrap]=mmdebstrap [mkfs.ext4]=e2fsprogs)

stamp() { cat "${BASH_SOURCE[0]}" "$VM_SCRIPTS"/guest/*.service "$VM_SCRIPTS/guest/begin-suites.sh" | sha256sum | cut -d' ' -f1; }

missing_programs() {
  local program list=()
  for program in "${!VM_PACKAGE_OF[@]}"; do
    command -v "$program" >/dev/null || list+=("${VM_PACKAGE_OF[$program]}")
  done
  [ ${#list[@]} = 0 ] || printf '%s\n' "${list[@]}" | sort | xargs
}

is_made() { [ "$(cat "$DISK_DIR/stamp" 2>/dev/null)" = "$(stamp)" ]; }

install_programs() {
  local packages
  # Only to make the disk; the other one, for the payload of each run.
  ! is_made || unset 'VM_PACKAGE_OF[mmdebstrap]'
  packages=$(missing_programs)
  [ -n "$packages" ] || return 0
  command -v apt-get >/dev/null || die "the virtual machine needs $packages, and this host has no apt-get; install them, then run this again"
  step "reading the package lists" prepare_suite host
  # shellcheck disable=SC2086 # a list of words
  step "installing $packages" install_packages $packages
}

# On the console: root without a password, which has no network to come in by.
configure() {
  local root=$1 unit=$1/etc/systemd/system name
  echo kubelet-vm >"$root/etc/hostname"
  printf '127.0.0.1 localhost kubelet-vm\n' >"$root/etc/hosts"
  printf '/dev/vda / ext4 defaults 0 0\n/dev/vdb /payload ext4 noauto 0 0\n' >"$root/etc/fstab"
  mkdir -p "$root/payload" "$unit/multi-user.target.wants" "$unit/serial-getty@ttyS0.service.d"
  install -m 644 "$VM_SCRIPTS/guest/vm-suite.service" "$unit/vm-suite.service"
  install -m 755 "$VM_SCRIPTS/guest/begin-suites.sh" "$root/usr/local/sbin/begin-suites"
  ln -sf ../vm-suite.service "$unit/multi-user.target.wants/vm-suite.service"
  printf '[Service]\nExecStart=\nExecStart=-/sbin/agetty --autologin root --noclear %%I vt220\n' \
    >"$unit/serial-getty@ttyS0.service.d/autologin.conf"
  install -m 644 "$VM_SCRIPTS/guest/vm-node.service" "$unit/vm-node.service"
  ln -sf ../vm-node.service "$unit/multi-user.target.wants/vm-node.service"
  for name in "${UNWANTED_UNITS[@]}"; do
    find "$root/etc/systemd/system" -name "$name" -type l -delete
  done
}

build() {
  local new=$DISK_DIR.new uri key
  read -r uri key < <(host_archive) || { echo "found no Debian archive entry in /etc/apt"; return 1; }
  rm -rf "$new"
  mkdir -p "$new/root"
  retry mmdebstrap --variant=minbase --include="$PACKAGES" --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$SUITE" "$new/root.tar" "deb ${key:+[signed-by=$key] }$uri $SUITE main"
  tar -xf "$new/root.tar" -C "$new/root" --numeric-owner
  configure "$new/root"
  cp "$new"/root/boot/vmlinuz-* "$new/vmlinuz"
  cp "$new"/root/boot/initrd.img-* "$new/initrd"
  mkfs.ext4 -q -F -d "$new/root" "$new/disk.img" "$DISK_SIZE"
  rm -rf "$new/root" "$new/root.tar"
  stamp >"$new/stamp"
  rm -rf "$DISK_DIR"
  mv "$new" "$DISK_DIR"
}

require_root vm-test
make_dirs
with_lock vm-disk
install_programs
is_made || step "making the disk of the virtual machine (a minute or two)" build
echo "$DISK_DIR"
