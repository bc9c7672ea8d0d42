# shellcheck shell=bash
# Sourced by node-e2e.sh, and by ../kubeadm for its cgroups: sets a run apart from the host. The suite's ports,
# /var/lib/kubelet, /var/log/pods and the cgroup /kubepods cannot be chosen, so each run has them in namespaces of its
# own: network, mounts and, with cgroup v1, cgroups. Two runs, or a run and the host's own kubelet, do not meet. Its
# files are on a disk of its own (a sparse file, mounted), so that tests that fill the disk fill that one only, and
# what others write does not disturb them.
# Uses DIR, INSTANCE and HOST_TAG of its caller.

APART_CGROUP=kts-node-e2e${HOST_TAG:+-$HOST_TAG}
APART_DISK=$DIR/disk
# Free space is what tests take some GiB and 100,000 files of; the file takes what was written.
APART_DISK_SIZE=24G
# Within what the host can miss if a test of memory pressure goes wrong.
APART_MEMORY=8G
# The suite's fixed places.
APART_PLACES=(/var/lib/kubelet /var/log/pods /var/log/containers)

# hierarchies: where each is mounted, its type and options, if there are hierarchies of cgroup v1 (also the empty one of
# v2 beside them). Nothing with v2 alone: only a root without processes of its own can serve there.
hierarchies() {
  awk '$8 ~ /^cgroup2?$/ { line[NR] = $5 " " $8 " " $NF; v1 += $8 == "cgroup" }
    END { if (v1) for (i = 1; i <= NR; i++) if (i in line) print line[i] }' <(sed 's/ [a-z_]*:[0-9]* - / - /' /proc/self/mountinfo)
}

cgroup_dirs() { ls -d "/sys/fs/cgroup/$1" /sys/fs/cgroup/*/"$1" 2>/dev/null || true; }

remove_cgroup() {
  local dir try
  for dir in $(cgroup_dirs "$1"); do
    # The kernel frees a cgroup a moment after its last process is gone.
    for ((try = 0; try < 20; try++)); do
      [ -d "$dir" ] || break
      find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
    [ ! -d "$dir" ] || { echo "the cgroup \"$dir\" is still in use"; return 1; }
  done
}

# --- outside --------------------------------------------------------------------------------------

make_cgroups() {
  local mount rest file
  while read -r mount rest; do
    mkdir -p "$mount/$APART_CGROUP"
    for file in cpuset.cpus cpuset.mems; do
      [ ! -e "$mount/$file" ] || cat "$mount/$file" >"$mount/$APART_CGROUP/$file"
    done
    [ ! -e "$mount/memory.limit_in_bytes" ] || echo "$APART_MEMORY" >"$mount/$APART_CGROUP/memory.limit_in_bytes"
  done < <(hierarchies)
}

join_cgroups() {
  local mount rest
  while read -r mount rest; do
    echo "$BASHPID" >"$mount/$APART_CGROUP/cgroup.procs"
  done < <(hierarchies)
}

# A directory that is a mount point of another run must stay: while one runs it holds the lock.
make_places() {
  exec 7>/run/lock/kubelet-ts-node-e2e
  flock -s 7
  mkdir -p "${APART_PLACES[@]}"
}

remove_places() {
  ! flock -n 7 || rmdir "${APART_PLACES[@]}" 2>/dev/null || true
  exec 7>&-
}

# run_apart COMMAND…: in namespaces of its own; its exit code is in APART_OUTCOME then.
run_apart() {
  local namespaces=(--net --mount)
  APART_OUTCOME=0
  make_places
  [ -z "$(hierarchies)" ] || namespaces+=(--cgroup)
  make_cgroups
  # What is trapped here is at its default there; it removes its own things, then it is our turn.
  trap : INT TERM
  (
    join_cgroups && exec 7>&- && exec unshare "${namespaces[@]}" -- "$@"
  ) || APART_OUTCOME=$?
  trap - INT TERM
  remove_apart
  remove_places
}

remove_apart() {
  remove_cgroup "$APART_CGROUP"
  rm -rf "$DIR/disk.img" "$APART_DISK"
}

# --- inside ---------------------------------------------------------------------------------------

# A network namespace begins with a loopback interface that is down. The kubelet looks for its address where the
# default route leads; two ends of one wire are enough for that.
make_network() {
  ip link set lo up
  ip link add eth0 type veth peer name wire
  ip address add 192.0.2.1/24 dev eth0
  ip link set wire up
  ip link set eth0 up
  ip route add default via 192.0.2.254
}

# Mounted again, a hierarchy begins with the cgroup that the namespace began in.
mount_cgroups() {
  local mount type options
  while read -r mount type options; do
    umount "$mount"
    mount -t "$type" -o "$options" cgroup "$mount"
  done < <(hierarchies)
}

mount_disk() {
  local place dir number=0
  mkdir -p "$APART_DISK" "$INSTANCES_DIR/$INSTANCE"
  truncate -s "$APART_DISK_SIZE" "$DIR/disk.img"
  mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=1,nodiscard -m 0 "$DIR/disk.img"
  mount -o loop,noatime "$DIR/disk.img" "$APART_DISK"
  for place in "${APART_PLACES[@]}" "$INSTANCES_DIR/$INSTANCE"; do
    number=$((number + 1)) dir=$APART_DISK/$number
    mkdir "$dir"
    mount --bind "$dir" "$place"
  done
}

# Where our kubelet claims the place of its pods, so that no second one takes it: on this host another run may have one
# of the same name.
mount_claims() {
  mkdir -p /run/kubelet-ts
  mount -t tmpfs -o mode=755 tmpfs /run/kubelet-ts
}

# Where the upstream kubelet's statistics look for containerd, whatever endpoint it has for the rest.
link_usual_socket() {
  mkdir -p /run/containerd
  ln -s "$INSTANCES_DIR/$INSTANCE/containerd.sock" /run/containerd/containerd.sock
}

mount_usual_socket() {
  mkdir -p /run/containerd
  mount -t tmpfs -o mode=711 tmpfs /run/containerd
  link_usual_socket
}

mount_apart() {
  mount_cgroups
  mount_disk
  mount_claims
  mount_usual_socket
}
