# shellcheck shell=bash
# Sourced by containerd.sh and clean.sh: removes every trace of a private containerd instance, also of one
# whose daemon died or was killed. Works from what the kernel shows (processes, mounts, rules), not from what
# the daemon remembers. Touches only what carries the instance's socket, directory, bridge or network name.

purge_instance() {
  local name=$1 dir=$INSTANCES_DIR/$1 ids
  [ -n "$name" ] && [ -d "$dir" ] || return 0
  stop_daemon "containerd-$name"
  ids=$(container_ids "$dir")
  kill_shims "$(instance_socket "$name")"
  remove_shim_sockets "$dir"
  unmount_below "$dir"
  remove_cgroups "$ids"
  remove_network "$name" "$ids"
  rm -rf --one-file-system "$dir"
  rm -f "$RUN_DIR/containerd-$name".{pid,log}
}

container_ids() {
  local bundle
  for bundle in "$1"/state/io.containerd.runtime.v2.task/*/*/ "$1"/root/io.containerd.grpc.v1.cri/{sandboxes,containers}/*/; do
    [ ! -d "$bundle" ] || basename "$bundle"
  done | sort -u
}

# --- processes ------------------------------------------------------------------------------------

# The shims of a daemon carry its socket as an argument; a container's processes are all below its shim,
# because the shim is a child subreaper.
shim_pids() {
  local file
  for file in /proc/[0-9]*/cmdline; do
    tr '\0' '\n' <"$file" 2>/dev/null | awk -v socket="$1" 'NR == 1 && /containerd-shim/ { shim = 1 }
      shim && last == "-address" && $0 == socket { found = 1 } { last = $0 } END { exit !found }' || continue
    basename "$(dirname "$file")"
  done
}

descendants() {
  local pid=$1 child
  for child in $(cat "/proc/$pid/task"/*/children 2>/dev/null || true); do
    echo "$child"
    descendants "$child"
  done
}

kill_shims() {
  local socket=$1 shim shims round below
  for ((round = 0; round < 50; round++)); do
    shims=$(shim_pids "$socket")
    [ -n "$shims" ] || return 0
    for shim in $shims; do
      # Containers first: without a shim above them they would be orphans.
      below=$(descendants "$shim")
      # shellcheck disable=SC2086 # a list of pids
      if [ -n "$below" ]; then kill -KILL $below 2>/dev/null || true; else kill -KILL "$shim" 2>/dev/null || true; fi
    done
    sleep 0.1
  done
  echo "cannot end these shims of $socket: $shims"
  return 1
}

# Shims listen in a directory that all containerds of a host share; their bundles say under which name.
remove_shim_sockets() {
  local file path
  for file in "$1"/state/io.containerd.runtime.v2.task/*/*/{address,bootstrap.json}; do
    [ -f "$file" ] || continue
    path=$(grep -oE '/run/containerd/s/[0-9a-f]{64}' "$file") || continue
    rm -f "$path"
  done
}

# --- mounts, cgroups ------------------------------------------------------------------------------

mounts_below() { awk -v dir="$1/" 'index($5 "/", dir) == 1 { print $5 }' /proc/self/mountinfo | tac; }

unmount_below() {
  local mount
  while read -r mount; do
    mount=$(printf '%b' "$mount") # mountinfo writes a space as \040
    umount "$mount" 2>/dev/null || umount -l "$mount"
  done < <(mounts_below "$1")
  [ -z "$(mounts_below "$1")" ] || { echo "cannot unmount everything below $1"; return 1; }
}

# runc names a container's cgroup after it; when containers die without runc the empty cgroups stay. The pod's
# own cgroup and containerd's default parent go as well if nothing is left in them.
remove_cgroups() {
  local ids=$1 path parent
  [ -n "$ids" ] || return 0
  find /sys/fs/cgroup -depth -type d -regextype posix-extended -regex '.*/[0-9a-f]{64}' 2>/dev/null |
    grep -F "$ids" | while read -r path; do
    rmdir "$path" 2>/dev/null || true
    parent=$(dirname "$path")
    case $(basename "$parent") in
      pod* | k8s.io) rmdir "$parent" 2>/dev/null || true ;;
    esac
  done || true
}

# --- network --------------------------------------------------------------------------------------

remove_network() {
  local ids=$2 index id network
  index=$(cat "$INSTANCES_DIR/$1/network" 2>/dev/null) || return 0
  network=$(network_name "$1")
  ip link delete "kts$index" 2>/dev/null || true
  for id in $ids; do
    rm -f "/var/lib/cni/results/$network-$id-"* "/var/lib/cni/results/cni-loopback-$id-"*
  done
  rmdir /var/lib/cni/results /var/lib/cni 2>/dev/null || true
  remove_rules "name: \\\"$network\\\" id:"
}

# remove_rules TEXT: deletes the nat rules whose comment holds TEXT, and the per-pod chains they lead to.
remove_rules() {
  local text=$1 chain chains
  command -v iptables >/dev/null || return 0
  chains=$(iptables -w -t nat -S 2>/dev/null | grep -F -- "$text" | grep -oE -- '-j CNI-[-A-Za-z0-9]+' | cut -d' ' -f2 |
    grep -v '^CNI-HOSTPORT-' | sort -u) || true
  # Only chains that hold such a rule: those of other instances come and go meanwhile.
  for chain in $(iptables -w -t nat -S 2>/dev/null | grep -F -- "$text" | awk '$1 == "-A" { print $2 }' | sort -u); do
    delete_rules_in "$chain" "$text"
  done
  for chain in $chains; do
    iptables -w -t nat -F "$chain" 2>/dev/null || true
    iptables -w -t nat -X "$chain" 2>/dev/null || true
  done
  remove_idle_hostport_chains
}

# By number, from the last: the text of a rule would have to be re-quoted. (awk -v would eat backslashes.)
delete_rules_in() {
  local number
  for number in $(iptables -w -t nat -S "$1" | grep '^-A' | TEXT=$2 awk 'index($0, ENVIRON["TEXT"]) { print NR }' | tac); do
    iptables -w -t nat -D "$1" "$number"
  done
}

# The portmap plugin's shared chains: gone once no pod on the host maps a port (the plugin re-creates them).
remove_idle_hostport_chains() {
  local chain
  iptables -w -t nat -S CNI-HOSTPORT-DNAT >/dev/null 2>&1 || return 0
  ! iptables -w -t nat -S CNI-HOSTPORT-DNAT | grep -q '^-A' || return 0
  for chain in PREROUTING OUTPUT POSTROUTING; do
    delete_rules_in "$chain" "-j CNI-HOSTPORT-"
  done
  for chain in CNI-HOSTPORT-DNAT CNI-HOSTPORT-MASQ CNI-HOSTPORT-SETMARK; do
    iptables -w -t nat -F "$chain" 2>/dev/null || true
    iptables -w -t nat -X "$chain" 2>/dev/null || true
  done
}
