#!/usr/bin/env bash
# Runs a kubelet, ours or the upstream one, on a private containerd 2.1: as the node of the test cluster, or on
# its own with static pods (for side-by-side measurements). Both kubelets get the same flags and configuration.
#
# usage: kubelet.sh up ours|upstream                                        the cluster's node; waits for Ready
#        kubelet.sh up ours-standalone|upstream-standalone --manifests DIR  static pods of DIR, no API server
#        kubelet.sh stop [cluster|standalone]    only the kubelet: its pods go on
#        kubelet.sh down [cluster|standalone]    the kubelet, its containerd, pods, mounts, cgroups and files
#        kubelet.sh hint                         how to talk to the cluster
#        kubelet.sh pid [cluster|standalone]     the process id, nothing if it does not run
# stop, down and pid mean "cluster" unless named. A running kubelet of the other kind is replaced.
# KUBELET_PORT (10250), KUBELET_HEALTHZ_PORT (10248), KUBELET_TS_CGROUP (kubelet-ts-cluster or -standalone, and a mark
# of the state directory unless that is the usual one), MAX_PODS (500), V (2: log level) and EXTRA_CONFIG (lines of
# KubeletConfiguration) change what is written.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HOST_SCRIPTS/purge.sh"

PORT=${KUBELET_PORT:-10250}
HEALTHZ_PORT=${KUBELET_HEALTHZ_PORT:-10248}

usage() {
  sed -n '/^# usage/,/^# KUBELET_PORT/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# The upstream kubelet puts its device plugin socket here, whatever its root is.
FIXED_DIR=/var/lib/kubelet

# --- cgroups --------------------------------------------------------------------------------------

# The hierarchies of this host: one per controller (v1) or one for all (v2).
hierarchies() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else ls -d /sys/fs/cgroup/*/; fi
}

# A cgroup of our own above the pods: a kubelet kills what it does not know below its root, and there may be
# other kubelets on this host. The kubelet wants it to exist. A new v1 cpuset has no CPUs until some are written to it.
make_cgroups() {
  local dir file
  for dir in $(hierarchies); do
    dir=${dir%/}
    mkdir -p "$dir/$CGROUP" 2>/dev/null || continue
    for file in cpuset.cpus cpuset.mems; do
      [ ! -f "$dir/$file" ] || [ -n "$(cat "$dir/$CGROUP/$file")" ] || cat "$dir/$file" >"$dir/$CGROUP/$file"
    done
  done
  [ -d /sys/fs/cgroup/memory/$CGROUP ] || [ -d /sys/fs/cgroup/$CGROUP ] || { echo "cannot make the cgroup \"$CGROUP\""; return 1; }
}

remove_cgroup_tree() {
  local dir try
  for dir in $(hierarchies); do
    dir=${dir%/}/$CGROUP
    # The kernel frees a cgroup a moment after its last process is gone.
    for ((try = 0; try < 20; try++)); do
      [ -d "$dir" ] || break
      find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
    [ ! -d "$dir" ] || { echo "the cgroup \"$dir\" is still in use"; return 1; }
  done
}

# --- configuration --------------------------------------------------------------------------------

# Answers about callers are kept for seconds instead of minutes: a test that takes a right away waits for that.
# Image collection is off: the images are made locally and could not be pulled again. The kubelet's iptables
# chains are off as well: they would outlive it, and no test needs them.
write_config() {
  cat <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$(instance_socket "$NAME")
staticPodPath: $MANIFESTS
podLogsDir: $DIR/logs
volumePluginDir: $DIR/volume-plugins
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
imageGCHighThresholdPercent: 100
evictionHard: { memory.available: "100Mi" }
serializeImagePulls: false
maxPods: ${MAX_PODS:-500}
port: $PORT
healthzPort: $HEALTHZ_PORT
clusterDNS: ["10.96.0.10"]
clusterDomain: cluster.local
YAML
  if [ "$NAME" = cluster ]; then
    cat <<YAML
authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTL: 5s }, x509: { clientCAFile: "$PKI_DIR/ca.crt" } }
authorization: { mode: Webhook, webhook: { cacheAuthorizedTTL: 5s, cacheUnauthorizedTTL: 2s } }
tlsCertFile: $PKI_DIR/kubelet-serving.crt
tlsPrivateKeyFile: $PKI_DIR/kubelet-serving.key
YAML
  else
    cat <<YAML
address: 127.0.0.1
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
YAML
  fi
  [ -z "${EXTRA_CONFIG:-}" ] || printf '%s\n' "$EXTRA_CONFIG"
}

# --- commands -------------------------------------------------------------------------------------

start() {
  local program=$K8S_BIN/kubelet flags=(--config "$DIR/config.yaml" --root-dir "$DIR/root" --cert-dir "$DIR/pki"
    --hostname-override "$NODE_NAME" --v="${V:-2}")
  mkdir -p "$DIR"/{root,pki,logs,volume-plugins,manifests}
  [ -e "$FIXED_DIR" ] || touch "$DIR/fixed-dir-is-ours"
  make_cgroups
  write_config >"$DIR/config.yaml"
  [ "$NAME" = standalone ] || flags+=(--kubeconfig "$NODE_CONFIG" --node-ip "$(host_ip)")
  [ "$KIND" = upstream ] || program=$REPO_ROOT/bin/kubelet
  echo "$KIND" >"$DIR/kind"
  start_daemon "$DAEMON" "$program" "${flags[@]}"
  [ "$KIND" = upstream ] || await_node "$(cut -d' ' -f1 "$RUN_DIR/$DAEMON.pid")"
  await_ready
}

# Our executable is a script that becomes Node: that is the program that the pid will belong to.
await_node() {
  echo "$1 $(readlink -f "$(node_program)")" >"$RUN_DIR/$DAEMON.pid"
  wait_until 20 is_node_or_gone "$1"
}

is_node_or_gone() { [ ! -d "/proc/$1" ] || daemon_pid "$DAEMON"; }

is_ready() {
  if [ "$NAME" = cluster ]; then
    cluster_kubectl get node "$NODE_NAME" --request-timeout=2s \
      -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep -qx True
  else
    curl -sf -m 2 "http://127.0.0.1:$HEALTHZ_PORT/healthz"
  fi
}

# "Ready" may be what an earlier kubelet wrote: the process must also have lived a moment.
await_ready() {
  local deadline=$((SECONDS + 60)) fault='is not ready after 60 s'
  sleep 1
  until daemon_pid "$DAEMON" >/dev/null && is_ready >/dev/null 2>&1; do
    daemon_pid "$DAEMON" >/dev/null || fault='ended' deadline=0
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "the $KIND kubelet $fault; the end of $RUN_DIR/$DAEMON.log:"
      tail -n 20 "$RUN_DIR/$DAEMON.log" | cut -c 1-300
      return 1
    fi
    sleep 0.2
  done
}

up() {
  require_root cluster-up
  [ "$KIND" = ours ] || "$CLUSTER_SCRIPTS/build.sh" kubelet
  if [ "$NAME" = cluster ]; then
    [ -f "$NODE_CONFIG" ] || die "there is no control plane; run first: test/cluster/control-plane.sh up (or make cluster-up)"
    MANIFESTS=${MANIFESTS:-$DIR/manifests}
  else
    [ -d "$MANIFESTS" ] || die "the directory of static pods \"$MANIFESTS\" does not exist (--manifests DIR)"
    MANIFESTS=$(cd "$MANIFESTS" && pwd -P)
  fi
  "$HOST_SCRIPTS/containerd.sh" up 2.1 "$NAME" >/dev/null
  with_lock "$DAEMON"
  if daemon_pid "$DAEMON" >/dev/null; then
    [ "$(cat "$DIR/kind")" != "$KIND" ] || [ "$NAME" = standalone ] || { say "the $KIND kubelet runs already"; return 0; }
    step "stopping the $(cat "$DIR/kind") kubelet that runs" stop_daemon "$DAEMON"
  fi
  step "starting the $KIND kubelet ($NAME)" start
}

stop() { step "stopping the kubelet ($NAME)" stop_daemon "$DAEMON"; }

# The order matters: without the kubelet nothing restarts, without containers nothing holds the volumes.
down() {
  [ -d "$DIR" ] || [ -d "$INSTANCES_DIR/$NAME" ] || { say "no kubelet ($NAME) here: nothing to do"; return 0; }
  require_root cluster-down
  stop
  "$HOST_SCRIPTS/containerd.sh" down 2.1 "$NAME" --purge
  step "removing the kubelet's mounts, cgroups and files ($NAME)" remove_state
}

remove_state() {
  unmount_below "$DIR"
  remove_cgroup_tree
  # The kubelet keeps a link per container in a directory that cannot be chosen.
  find /var/log/containers -type l -lname "$DIR/logs/*" -delete 2>/dev/null || true
  rmdir /var/log/containers 2>/dev/null || true
  if [ -e "$DIR/fixed-dir-is-ours" ]; then
    rm -f "$FIXED_DIR/device-plugins/kubelet.sock"
    rmdir "$FIXED_DIR/device-plugins" "$FIXED_DIR" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$DIR" "$RUN_DIR/$DAEMON.log"
  rmdir "$(dirname "$DIR")" 2>/dev/null || true
}

hint() {
  cat <<TEXT
the test cluster is up; to use it:
  export KUBECONFIG=$ADMIN_CONFIG PATH=$K8S_BIN:\$PATH
  kubectl get nodes
logs: $RUN_DIR/$DAEMON.log, $RUN_DIR/cluster-*.log      to end it: make cluster-down
TEXT
}

COMMAND=${1:-} WHAT=${2:-} MANIFESTS='' NAME=cluster KIND=''
case $COMMAND/$WHAT in
  up/ours | up/upstream) KIND=$WHAT ;;
  up/ours-standalone | up/upstream-standalone) KIND=${WHAT%-standalone} NAME=standalone ;;
  stop/* | down/* | pid/*) NAME=${WHAT:-cluster} ;;
  hint/) ;;
  *) usage ;;
esac
[[ $NAME =~ ^(cluster|standalone)$ ]] || usage
if [ $# -gt 2 ]; then
  [ "$COMMAND" = up ] && [ $# = 4 ] && [ "$3" = --manifests ] || usage
  MANIFESTS=$4
fi
DIR=$HOST_DIR/$NAME/kubelet DAEMON=kubelet-$NAME CGROUP=${KUBELET_TS_CGROUP:-kubelet-ts-$NAME${HOST_TAG:+-$HOST_TAG}}
case $COMMAND in
  pid) daemon_pid "$DAEMON" || true ;;
  *) "$COMMAND" ;;
esac
