#!/usr/bin/env bash
# Boots the disk of the virtual machine in namespaces of this host instead: systemd is process 1 there, with logind and
# D-Bus, and everything runs at the speed of the host. The kernel, its clock and its cgroup version are the host's, so
# this is for what systemd does (units, shutdown), not for what a kernel does. It has processes, mounts, network,
# cgroups and a host name of its own; what it writes goes to DIRECTORY/upper, and it can neither load a module nor set
# a parameter of the kernel. A reboot or power-off inside ends it; this exits with 129 after a reboot, and with 130
# after a power-off.
#
# usage: [VM_LINK=1] namespaces.sh DISK PAYLOAD DIRECTORY [WORD…]
# WORD       of what is the kernel's command line elsewhere
# DISK       the image that root-disk.sh makes
# PAYLOAD    a directory that is /payload inside; or an image of ext4 with a directory "payload", on which the system then
#            keeps all that it writes, and which loses at SIGTERM what the kernel has not yet sent to it: a power cut
# DIRECTORY  for what it writes, and for the file "init", which holds the process id of its systemd
# With VM_LINK it is linked to the network namespace it is started in, which must not be the host's: the device is
# eth0 inside, and 10.0.2.2 outside.
set -euo pipefail
IS_INSIDE=no
[ "$1" != --inside ] || { IS_INSIDE=yes; shift; }
DISK=$1 PAYLOAD=$2 DIR=$3
shift 3
WORDS=("$@")
CGROUPS=/sys/fs/cgroup
NAME=kubelet-ts-system-$$

hierarchies() { awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/self/mounts | grep "^$CGROUPS"; }

enter_cgroups() {
  local mount
  for mount in $(hierarchies); do
    mkdir -p "$mount/$NAME"
    [ ! -e "$mount/cpuset.cpus" ] || [ "$(stat -fc %T "$mount")" = cgroup2fs ] || {
      cat "$mount/cpuset.cpus" >"$mount/$NAME/cpuset.cpus"
      cat "$mount/cpuset.mems" >"$mount/$NAME/cpuset.mems"
    }
    echo "$BASHPID" >"$mount/$NAME/cgroup.procs"
  done
}

# remove_cgroups NAME: all processes in them end with their process 1, a moment later.
remove_cgroups() {
  local mount tries
  for mount in $(hierarchies); do
    for ((tries = 0; tries < 100; tries++)); do
      find "$mount/$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ -d "$mount/$1" ] || break
      sleep 0.1
    done
  done
}

# Of systems whose script was killed.
remove_stale_cgroups() {
  local mount path
  for mount in $(hierarchies); do
    for path in "$mount"/kubelet-ts-system-*; do
      [ ! -d "$path" ] || [ -d "/proc/${path##*-}" ] || remove_cgroups "${path##*/}"
    done
  done
}

# cut_disk PID: process 1 is killed and the file system shut down at once, without its journal (EXT4_IOC_SHUTDOWN with
# NOLOGFLUSH): what is only in memory is never written.
cut_disk() {
  perl -e 'my ($pid, $shutdown, $without_journal) = ($ARGV[0], 0x8004587d, 2);
    open(my $disk, "<", "/proc/$pid/root/payload") or exit 0;
    kill("KILL", $pid);
    ioctl($disk, $shutdown, pack("L", $without_journal)) or die "cannot cut the disk: $!\n"' "$1"
}

# The next system mounts it again, after the kernel has let go of it here.
await_disk() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    [ -n "$(losetup --associated "$PAYLOAD")" ] || return 0
    sleep 0.1
  done
  echo "\"$PAYLOAD\" is still mounted" >&2
  return 1
}

# With its process 1 everything inside ends, except what a cgroup of version 1 keeps frozen: runc freezes a container
# while it sets its limits.
end_system() {
  local state
  [ -z "${SYSTEM:-}" ] || [ -d "$PAYLOAD" ] || [ ! -s "$DIR/init" ] || cut_disk "$(cat "$DIR/init")"
  [ -z "${SYSTEM:-}" ] || kill -KILL "$(cat "$DIR/init" 2>/dev/null)" "$SYSTEM" 2>/dev/null || true
  while [ -n "${SYSTEM:-}" ] && [ -d "/proc/$(cat "$DIR/init" 2>/dev/null || echo none)" ]; do
    find "$CGROUPS/freezer/$NAME" -name freezer.state 2>/dev/null | while read -r state; do
      echo THAWED >"$state" 2>/dev/null || true
    done
    sleep 0.1
  done
  [ -z "${SYSTEM:-}" ] || wait "$SYSTEM" 2>/dev/null || true
  rm -f "$DIR/init"
  remove_cgroups "$NAME"
  [ -d "$PAYLOAD" ] || await_disk
}

# What follows runs inside, as process 1, until it becomes systemd.
mount_cgroups() {
  local target=$1 mount type options
  [ "$(stat -fc %T "$CGROUPS")" != cgroup2fs ] || { mount -t cgroup2 cgroup2 "$target"; return; }
  mount -t tmpfs -o mode=755 tmpfs "$target"
  while read -r _ mount type options _; do
    [[ $type == cgroup* && $mount == "$CGROUPS"/* ]] || continue
    mkdir -p "$target/${mount#"$CGROUPS"/}"
    # Without what every mount has.
    options=$(tr , '\n' <<<"$options" | sed -E '/^(rw|relatime|nosuid|nodev|noexec|nsdelegate)$/d' | paste -sd,)
    [[ $options != name=* ]] || options=none,$options
    mount -t "$type" ${options:+-o "$options"} "$type" "$target/${mount#"$CGROUPS"/}"
  done </proc/self/mounts
}

# Nodes of its own, never those of the host: systemd changes the mode of what it takes for its console.
mount_devices() {
  local name major minor
  mount -t tmpfs -o mode=755 tmpfs "$1"
  while read -r name major minor; do
    mknod -m 666 "$1/$name" c "$major" "$minor"
  done <<<'null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
console 1 3'
  mkdir "$1/shm" "$1/pts"
  mount -t tmpfs tmpfs "$1/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/pts"
  ln -s pts/ptmx "$1/ptmx"
  ln -s /proc/self/fd "$1/fd"
}

become_system() {
  local root=$DIR/root written=$DIR payload=$PAYLOAD pid
  read -r pid _ </proc/self/stat
  mount -o loop,ro,noload "$DISK" "$DIR/lower"
  if [ ! -d "$PAYLOAD" ]; then
    mount -o loop "$PAYLOAD" "$DIR/disk"
    written=$DIR/disk payload=$DIR/disk/payload
    mkdir -p "$written"/{upper,work}
  fi
  mount -t overlay overlay -o "lowerdir=$DIR/lower,upperdir=$written/upper,workdir=$written/work" "$root"
  mount -t proc proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  # Each boot has a name of its own, as with a machine.
  cat /proc/sys/kernel/random/uuid >"$DIR/boot_id"
  mount --bind "$DIR/boot_id" "$root/proc/sys/kernel/random/boot_id"
  # The network's parameters are its own.
  mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
  mount -o remount,bind,ro "$root/proc/sys"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount_cgroups "$root/sys/fs/cgroup"
  mount_devices "$root/dev"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mkdir -p "$root/payload"
  mount --bind "$payload" "$root/payload"
  echo "$pid" >"$DIR/init"
  hostname kubelet-vm
  ip link set lo up
  cd "$root"
  mkdir -p outside
  pivot_root . outside
  umount -l /outside
  exec env -i container=other PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
    SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 systemd.mask=console-getty.service "${WORDS[@]}" </dev/null
}

# link_network PID: from here to the network namespace of that process.
link_network() {
  ip link add link0 type veth peer name eth0 netns "$1"
  ip address add 10.0.2.2/24 dev link0
  ip link set link0 up
}

run_system() {
  local status=0
  mkdir -p "$DIR"/{lower,upper,work,disk,root}
  rm -f "$DIR/init"
  remove_stale_cgroups
  trap end_system EXIT
  trap 'exit 143' TERM INT
  (
    enter_cgroups
    # Ends with who started it, however that ends.
    exec setpriv --pdeathsig KILL --bounding-set -sys_time,-sys_module,-sys_rawio,-syslog \
      unshare --fork --pid --mount --uts --ipc --net --cgroup --kill-child --propagation private "${BASH_SOURCE[0]}" --inside "$DISK" "$PAYLOAD" "$DIR" "${WORDS[@]}"
  ) </dev/null &
  SYSTEM=$!
  until [ -s "$DIR/init" ] || ! kill -0 "$SYSTEM" 2>/dev/null; do sleep 0.1; done
  [ ! -s "$DIR/init" ] || [ -z "${VM_LINK:-}" ] || link_network "$(cat "$DIR/init")"
  wait "$SYSTEM" || status=$?
  # Its process ids may be those of others from now on.
  SYSTEM=
  rm -f "$DIR/init"
  return "$status"
}

if [ "$IS_INSIDE" = yes ]; then become_system; else run_system; fi
