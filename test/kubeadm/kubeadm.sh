#!/usr/bin/env bash
# A cluster that kubeadm makes on this machine, with our kubelet or the upstream one, and the tests of it (kubeadm.ts):
# init, addons, Services by name, join, certificates, upgrade, reset. Its two machines are namespaces of this one
# (machine.sh), joined by a wire: ports and places that kubeadm wants are their own, nothing of the host is written to,
# and when their first processes end, everything in them does. Removes all of it afterwards, also after an interrupt.
#
# usage: kubeadm.sh ours|upstream|both     both: one after the other, with their times side by side
#        kubeadm.sh clean                  only removes what an interrupted run left
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

# Where kubeadm writes on a machine, and no other run of this host does.
PLACES=(/etc/kubernetes /etc/cni /var/lib/etcd)

# --- machines -------------------------------------------------------------------------------------

prepare_machine() {
  local kind=$1 kubelet=$REPO_ROOT/bin/kubelet name
  mkdir -p "$MACHINE/path" "$INSTANCES_DIR/$INSTANCE"
  echo "${NETWORK[$2]}" >"$INSTANCES_DIR/$INSTANCE/network"
  # As their packages have it.
  echo notify >"$MACHINE/unit-type"
  [ "$kind" = ours ] || { kubelet=$K8S_BIN/kubelet && echo simple >"$MACHINE/unit-type"; }
  ln -s "$kubelet" "$MACHINE/path/kubelet"
  for name in kubeadm kubectl; do ln -s "$K8S_BIN/$name" "$MACHINE/path/$name"; done
  ln -s "$BIN_DIR/containerd-2.1/ctr" "$MACHINE/path/ctr"
  for name in systemctl systemd-notify; do ln -s "$KUBEADM_SCRIPTS/systemctl.sh" "$MACHINE/path/$name"; done
}

# The scheduler weighs a cgroup with all its processes as one process of the host, which beside other work is too little
# for a machine.
weigh_machine() {
  local dir
  for dir in $(cgroup_dirs "$APART_CGROUP"); do
    [ ! -e "$dir/cpu.shares" ] || echo 8192 >"$dir/cpu.shares"
  done
}

# start_machine KIND NAME: not as a step, which is a process of its own: the machine ends with its parent.
start_machine() {
  local parent
  use_machine "$2"
  prepare_machine "$@"
  make_cgroups
  weigh_machine
  (
    join_cgroups
    close_others
    exec setpriv --pdeathsig KILL unshare --net --mount --uts --ipc --cgroup --pid --fork --kill-child=KILL --mount-proc -- \
      "$KUBEADM_SCRIPTS/machine.sh" "$2"
  ) >"$MACHINE/log" 2>&1 </dev/null &
  parent=$!
  disown "$parent" # its end is no news
  if ! wait_until 30 test -e "$MACHINE/is-up"; then
    cat "$MACHINE/log" >&2
    die "the machine \"$2\" did not come up"
  fi
  cut -d' ' -f1 "/proc/$parent/task/$parent/children" >"$MACHINE/pid"
}

# One wire, whose ends begin on the machines: the host's network never has it.
connect_machines() {
  local name peer
  use_machine worker
  peer=$(machine_pid)
  use_machine control-plane
  nsenter --net -t "$(machine_pid)" ip link add eth0 type veth peer name eth0 netns "$peer"
  for name in "${MACHINES[@]}"; do
    use_machine "$name"
    nsenter --net -t "$(machine_pid)" ip address add "${ADDRESS[$name]}/24" dev eth0
    nsenter --net -t "$(machine_pid)" ip link set eth0 up
    # Programs look for their address where the default route leads.
    nsenter --net -t "$(machine_pid)" ip route add default via 192.0.2.254
  done
  # Each knows where the other's pods are, as a network add-on would set it up.
  use_machine control-plane
  nsenter --net -t "$(machine_pid)" ip route add "10.$((191 + NETWORK[worker])).0.0/16" via "${ADDRESS[worker]}"
  use_machine worker
  nsenter --net -t "$(machine_pid)" ip route add "10.$((191 + NETWORK[control-plane])).0.0/16" via "${ADDRESS[control-plane]}"
}

# --- after ----------------------------------------------------------------------------------------

# machine_pids: everything on a machine is in its cgroups, the tree of each hierarchy has all.
machine_pids() {
  local dir
  for dir in $(cgroup_dirs "$APART_CGROUP"); do find "$dir" -name cgroup.procs -exec cat {} + 2>/dev/null || true; done | sort -un
}

end_machine() {
  local pids try
  for ((try = 0; try < 100; try++)); do
    pids=$(machine_pids)
    [ -n "$pids" ] || return 0
    # shellcheck disable=SC2086 # a list of pids
    kill -KILL $pids 2>/dev/null || true
    sleep 0.1
  done
  echo "cannot end these processes of the machine: $pids"
  return 1
}

# Their mounts, networks and firewall rules are gone with their namespaces.
remove_machines() {
  local name
  for name in "${MACHINES[@]}"; do
    use_machine "$name"
    end_machine
    remove_cgroup "$APART_CGROUP"
    rm -rf --one-file-system "$MACHINE" "${INSTANCES_DIR:?}/$INSTANCE"
    rm -f "$RUN_DIR/containerd-$INSTANCE".{pid,log}
  done
  rm -rf --one-file-system "$DIR/machines"
}

# keep_logs KIND: for a look at a run that failed; the machines' other files go.
keep_logs() {
  local name
  rm -rf "$DIR/logs/$1"
  mkdir -p "$DIR/logs/$1"
  for name in "${MACHINES[@]}"; do
    use_machine "$name"
    cp "$MACHINE/files/var/log/kubelet.log" "$DIR/logs/$1/$name-kubelet.log" 2>/dev/null || true
    cp "$RUN_DIR/containerd-$INSTANCE.log" "$DIR/logs/$1/$name-containerd.log" 2>/dev/null || true
    cp -r "$MACHINE/files/var/log/pods" "$DIR/logs/$1/$name-pods" 2>/dev/null || true
  done
}

clean_up() {
  [ -e "$DIR/in-use" ] || return 0
  trap '' INT TERM
  step "removing the machines with their processes, mounts, networks and files" remove_machines
  rm -f "$DIR/in-use"
  trap - INT TERM
}

# places_now: which of kubeadm's places this host has, and when something in them last came or went.
places_now() {
  local place
  for place in "${PLACES[@]}"; do [ ! -e "$place" ] || stat -c '%n %i %z' "$place"; done
}

# require_clean PLACES-BEFORE: that nothing of a run is left on the host.
require_clean() {
  local name left=()
  [ "$(places_now)" = "$1" ] || left+=("changes in ${PLACES[*]}")
  ! grep -qF "$DIR/" /proc/self/mountinfo || left+=("mounts below \"$DIR\"")
  for name in "${MACHINES[@]}"; do
    use_machine "$name"
    [ -z "$(cgroup_dirs "$APART_CGROUP")" ] || left+=("the cgroup \"$APART_CGROUP\"")
    [ ! -e "$INSTANCES_DIR/$INSTANCE" ] || left+=("the files of $INSTANCE")
  done
  [ ! -e "$DIR/machines" ] || left+=("the files of the machines")
  [ ${#left[@]} = 0 ] || die "the run left on this host: $(IFS=, && echo "${left[*]}")"
  say "nothing is left of the machines: processes, cgroups, mounts, networks, files"
}

# --- run ------------------------------------------------------------------------------------------

# run_tests KIND: their outcome is in OUTCOME.
run_tests() {
  local kind=$1 name instances=() before
  before=$(places_now)
  touch "$DIR/in-use"
  for name in "${MACHINES[@]}"; do
    start_machine "$kind" "$name"
    instances+=("$INSTANCE")
  done
  step "connecting the machines" connect_machines
  for name in "${MACHINES[@]}"; do
    use_machine "$name"
    "$KUBEADM_SCRIPTS/enter.sh" "$name" "$HOST_SCRIPTS/containerd.sh" up 2.1 "$INSTANCE" >/dev/null
  done
  "$KUBEADM_SCRIPTS/images.sh" "${instances[@]}"
  OUTCOME=0
  KUBEADM_KUBELET=$kind KUBEADM_TIMES=$DIR/times/$kind.json KUBELET_TS_HOST_DIR=$HOST_DIR KUBEADM_VERSION=$K8S_VERSION \
    timeout 1800 "$(node_program)" --disable-warning=ExperimentalWarning --test --test-timeout=1500000 \
    "$KUBEADM_SCRIPTS/kubeadm.ts" || OUTCOME=$?
  keep_logs "$kind"
  [ "$OUTCOME" = 0 ] || say "logs of the kubelets, runtimes and pods are in $DIR/logs/$kind"
  clean_up
  require_clean "$before"
}

KINDS=("${1:-}")
case $#/${1:-} in
  1/ours | 1/upstream) ;;
  1/both) KINDS=(ours upstream) ;;
  1/clean) [ -e "$DIR/in-use" ] || exit 0 ;;
  *) sed -n '/^# usage/,/clean  /s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
require_root cluster-kubeadm
make_dirs
mkdir -p "$DIR/times"
exec 9>"$RUN_DIR/kubeadm.lock"
flock -n 9 || die "another kubeadm cluster of \"$HOST_DIR\" is up"
clean_up
[ "$1" != clean ] || exit 0
[ -n "$(hierarchies)" ] || die "this host has cgroup v2 only; each machine needs hierarchies of its own, and that is written for v1"
[ -e /proc/sys/net/bridge ] || modprobe br_netfilter 2>/dev/null ||
  die "the kernel does not show bridged packets to iptables, which Services need here; run: modprobe br_netfilter"
"$HOST_SCRIPTS/install.sh" 2.1
"$HOST_SCRIPTS/images.sh"
"$HOST_SCRIPTS/runc.sh" || true # the host's will do
programs=(control-plane kubeadm)
[ "$1" = ours ] || programs+=(kubelet)
"$CLUSTER_SCRIPTS/build.sh" "${programs[@]}"
trap clean_up EXIT
failed=0
for kind in "${KINDS[@]}"; do
  rm -f "$DIR/times/$kind.json"
  run_tests "$kind"
  [ "$OUTCOME" = 0 ] || failed=1
done
"$(node_program)" --disable-warning=ExperimentalWarning "$KUBEADM_SCRIPTS/times.ts" "${KINDS[@]/#/$DIR/times/}"
exit "$failed"
