#!/usr/bin/env bash
# Runs private containerd daemons beside whatever the host has: each instance has its own root, state, socket,
# CNI network, bridge and subnet, so that several versions (or several tests) run at the same time.
#
# usage: containerd.sh up [1.6|2.1] [INSTANCE]       start if needed, import the images, print the endpoint
#        containerd.sh down [1.6|2.1] [INSTANCE]     stop the daemon only: pods go on running
#        containerd.sh down … --purge                remove it all: pods, mounts, bridge, rules, files
#        containerd.sh ctr INSTANCE ARGS…            ctr of that instance, namespace k8s.io
#        containerd.sh list                          every instance: name, version, state, endpoint
# VERSION is 2.1 unless given; INSTANCE is the version unless given. An instance of 2.1 called "systemd" has its
# cgroups made by systemd, which must be process 1 then.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$HOST_SCRIPTS/purge.sh"

usage() {
  sed -n '/^# usage/,/^# cgroups/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# --- network --------------------------------------------------------------------------------------

# choose_network: the first number whose bridge and /16 are free. 2.1 and 1.6 have their usual numbers; another
# state directory begins elsewhere, because bridges that have no pod yet cannot be seen.
choose_network() {
  local index taken routes first=$((${HOST_TAG:+16#$HOST_TAG % 59} + 0))
  [ ! -f "$DIR/network" ] || return 0
  taken=$(cat "$INSTANCES_DIR"/*/network 2>/dev/null || true)
  routes=$(ip -4 route show table all 2>/dev/null || true)
  for index in $(case $VERSION/$NAME in 2.1/2.1) echo 0 ;; 1.6/1.6) echo 1 ;; esac) $(seq $((first + 2)) 60) $(seq 2 $((first + 1))); do
    grep -qx "$index" <<<"$taken" && continue
    grep -qF " 10.$((191 + index))." <<<" $routes" && continue
    [ ! -e "/sys/class/net/kts$index" ] || continue
    echo "$index" >"$DIR/network"
    return 0
  done
  die "found no free 10.x.0.0/16 for the pods of instance \"$NAME\"; remove an instance (containerd.sh list)"
}

write_network() {
  local index name
  index=$(cat "$DIR/network")
  name=$(network_name "$NAME")
  mkdir -p "$DIR/cni/net.d" "$DIR/cni/ipam"
  cat >"$DIR/cni/net.d/10-kts.conflist" <<JSON
{
  "cniVersion": "0.4.0",
  "name": "$name",
  "plugins": [
    {
      "type": "bridge", "bridge": "kts$index", "isGateway": true, "ipMasq": true, "hairpinMode": true,
      "ipam": {
        "type": "host-local", "dataDir": "$DIR/cni/ipam",
        "ranges": [[{ "subnet": "10.$((191 + index)).0.0/16" }]],
        "routes": [{ "dst": "0.0.0.0/0" }]
      }
    },
    { "type": "portmap", "capabilities": { "portMappings": true } }
  ]
}
JSON
}

# --- configuration --------------------------------------------------------------------------------

# Whether a container may be given a score below ours, as one that is guaranteed its memory is.
lowers_oom_score() { (echo -999 >"/proc/$BASHPID/oom_score_adj") 2>/dev/null; }

# The two generations name the same settings differently. Common to both:
# - restrict_oom_score_adj, where it must be: a host without CAP_SYS_RESOURCE cannot lower oom_score_adj, and runc would die;
# - netns under the state directory, runc's state and /opt under the instance: nothing of ours is left elsewhere.
write_config() {
  local restricted=true
  ! lowers_oom_score || restricted=false
  echo "version = $([[ $VERSION == 1.* ]] && echo 2 || echo 3)"
  cat <<TOML
root = "$DIR/root"
state = "$DIR/state"
disabled_plugins = [
  "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.erofs", "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = "$SOCKET"

[plugins."io.containerd.internal.v1.opt"]
  path = "$DIR/opt"

TOML
  case $VERSION in
    1.*) write_config_v2 ;;
    *) write_config_v3 ;;
  esac
}

write_config_v2() {
  cat <<TOML
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  restrict_oom_score_adj = $restricted
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$CNI_BIN"
    conf_dir = "$DIR/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$DIR/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      Root = "$DIR/state/runc"
TOML
}

write_config_v3() {
  cat <<TOML
[plugins."io.containerd.nri.v1.nri"]
  disable = true

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "$PAUSE_IMAGE"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "$DIR/certs.d"

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = $restricted
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["$CNI_BIN"]
    conf_dir = "$DIR/cni/net.d"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      Root = "$DIR/state/runc"
TOML
  [ ! -x "$RUNC" ] || echo "      BinaryName = \"$RUNC\""
  [ "$NAME" != systemd ] || echo '      SystemdCgroup = true'
}

# --- commands -------------------------------------------------------------------------------------

answers() { "$BIN_DIR/containerd-$VERSION/ctr" -a "$SOCKET" version >/dev/null 2>&1; }

start() {
  local program=$BIN_DIR/containerd-$VERSION
  mkdir -p "$DIR"/{root,state,certs.d,opt}
  (
    flock -w 60 8 || die "another set-up is choosing a network for too long"
    choose_network
  ) 8>"$RUN_DIR/network.lock"
  write_network
  write_config >"$DIR/config.toml"
  # The shim is looked up on the PATH: ours must come before the host's.
  PATH="$program:$PATH" start_daemon "containerd-$NAME" "$program/containerd" --config "$DIR/config.toml"
  if ! wait_until 30 answers; then
    tail -n 20 "$RUN_DIR/containerd-$NAME.log" | cut -c 1-300
    return 1
  fi
  cri_plugin_ok || { echo "the CRI plugin did not load:"; instance_ctr "$NAME" plugins ls; return 1; }
}

cri_plugin_ok() { instance_ctr "$NAME" plugins ls | awk '$2 == "cri" && $NF != "ok" { bad = 1 } $2 == "cri" { seen = 1 } END { exit !seen || bad }'; }

up() {
  local port
  require_root host-up
  "$HOST_SCRIPTS/install.sh" "$VERSION"
  "$HOST_SCRIPTS/images.sh"
  if [[ $VERSION != 1.* ]] && ! "$HOST_SCRIPTS/runc.sh"; then
    say "containerd $VERSION uses the host's $(runc --version | awk 'NR == 1'): user namespaces need 1.2"
  fi
  make_dirs
  with_lock "instance-$NAME"
  if [ -f "$DIR/version" ] && [ "$(cat "$DIR/version")" != "$VERSION" ]; then
    die "instance \"$NAME\" belongs to containerd $(cat "$DIR/version"); remove it first: containerd.sh down $(cat "$DIR/version") $NAME --purge"
  fi
  [ ${#SOCKET} -le 100 ] || die "the socket path \"$SOCKET\" is longer than the kernel allows; choose a shorter KUBELET_TS_HOST_DIR or name"
  mkdir -p "$DIR"
  echo "$VERSION" >"$DIR/version"
  CNI_BIN=$(cni_bin_dir) || die_manual "the CNI plugins are missing"
  if ! daemon_pid "containerd-$NAME" >/dev/null || ! answers || ! write_config | cmp -s "$DIR/config.toml"; then
    stop_daemon "containerd-$NAME"
    step "starting containerd $("$BIN_DIR/containerd-$VERSION/containerd" --version | awk '{ print $3 }') as instance $NAME" start
  fi
  for port in "$REGISTRIES_DIR"/*/; do
    [ ! -d "$port" ] || trust_registry "$NAME" "$(basename "$port")"
  done
  "$HOST_SCRIPTS/images.sh" "$NAME"
  echo "unix://$SOCKET"
}

down() {
  [ -d "$DIR" ] || { say "instance $NAME is not there: nothing to do"; return 0; }
  require_root host-down
  with_lock "instance-$NAME"
  if [ "$PURGE" = yes ]; then
    step "removing instance $NAME with its pods, mounts and network" purge_instance "$NAME"
  else
    step "stopping containerd of instance $NAME (its pods go on)" stop_daemon "containerd-$NAME"
  fi
}

list() {
  local name state
  for name in $(instance_names); do
    state=stopped
    ! daemon_pid "containerd-$name" >/dev/null || state=running
    printf '%-12s containerd %-5s %-8s unix://%s\n' "$name" "$(cat "$INSTANCES_DIR/$name/version")" "$state" "$(instance_socket "$name")"
  done
}

COMMAND=${1:-}
[ $# = 0 ] || shift
case $COMMAND in
  list) list; exit 0 ;;
  ctr) [ $# -ge 2 ] || usage; instance_ctr "$@"; exit ;;
  up | down) ;;
  *) usage ;;
esac
PURGE=no positional=()
for word in "$@"; do
  case $word in
    --purge) PURGE=yes ;;
    -*) usage ;;
    *) positional+=("$word") ;;
  esac
done
VERSION=${positional[0]:-2.1}
NAME=${positional[1]:-$VERSION}
[[ $NAME =~ ^[a-z0-9][a-z0-9.-]{0,30}$ ]] || die "\"$NAME\" cannot name an instance: use up to 31 of a-z, 0-9, dot and dash"
DIR=$INSTANCES_DIR/$NAME
SOCKET=$(instance_socket "$NAME")
"$COMMAND"
