#!/usr/bin/env bash
# A real image registry (Debian's docker-registry) on a loopback port, for pull tests and demos: plain http,
# storage in the state directory, optionally with user and password. Several ports can be used at once.
#
# usage: registry.sh up [PORT] [--auth USER:PASSWORD | --token URL CERTIFICATES]   start if needed, print its address
#             with --token it takes tokens that the server at URL signs, by a key of these certificates (PEM)
#        registry.sh down [PORT] [--purge]              stop; --purge deletes what was pushed
#        registry.sh push [PORT] IMAGE [NAME:TAG] [--auth USER:PASSWORD]
#             copies IMAGE of instance $INSTANCE (2.1) into the registry as 127.0.0.1:PORT/NAME:TAG
# PORT is 15000 unless given. Every instance of containerd.sh is configured to speak http to it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  sed -n '/^# usage/,/^# PORT/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# The registry takes bcrypt only, and perl's crypt() has it wherever the C library does (Debian's does).
# The password travels in the environment: arguments are visible to every user of the host.
htpasswd_line() {
  local salt hash
  salt=$(head -c 32 /dev/urandom | base64 | tr -dc 'a-zA-Z0-9' | cut -c 1-21)
  # shellcheck disable=SC2016 # perl's variables
  hash=$(PASSWORD=${2:?} SALT="\$2y\$05\$${salt:0:21}e" perl -e 'print crypt($ENV{PASSWORD}, $ENV{SALT})')
  [[ $hash == \$2y\$* ]] || { echo "this host's C library cannot make bcrypt hashes" >&2; return 1; }
  echo "$1:$hash"
}

write_config() {
  cat <<YAML
version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage:
  filesystem: { rootdirectory: "$DIR/data" }
  delete: { enabled: true }
http:
  addr: 127.0.0.1:$PORT
YAML
  [ -z "$TOKEN" ] || printf 'auth:\n  token: { realm: "%s", service: "127.0.0.1:%s", issuer: kubelet-ts-test, rootcertbundle: "%s" }\n' \
    "${TOKEN%% *}" "$PORT" "${TOKEN#* }"
  [ -z "$AUTH" ] || printf 'auth:\n  htpasswd: { realm: kubelet-ts-test, path: "%s/htpasswd" }\n' "$DIR"
}

# 401 counts as well: a registry with authentication answers so.
answers() { [[ $(curl -s -o /dev/null -m 2 -w '%{http_code}' "http://127.0.0.1:$PORT/v2/") =~ ^(200|401)$ ]]; }

start() {
  if answers; then
    echo "something else already answers on 127.0.0.1:$PORT; choose another port"
    return 1
  fi
  # No hub to warn about, no traces to send: the exporter would only complain.
  OTEL_TRACES_EXPORTER=none start_daemon "registry-$PORT" "$BIN_DIR/tools/docker-registry" serve "$DIR/config.yml"
  wait_until 15 answers || { tail -n 20 "$RUN_DIR/registry-$PORT.log"; return 1; }
}

up() {
  local instance
  "$HOST_SCRIPTS/install.sh" 2.1
  make_dirs
  with_lock "registry-$PORT"
  mkdir -p "$DIR/data"
  # A running registry keeps its settings unless others are asked for.
  if ! daemon_pid "registry-$PORT" >/dev/null || [ "$AUTH$TOKEN" != "$(cat "$DIR/auth" 2>/dev/null)" ]; then
    stop_daemon "registry-$PORT"
    (umask 077 && printf '%s' "$AUTH$TOKEN" >"$DIR/auth")
    [ -z "$AUTH" ] || htpasswd_line "${AUTH%%:*}" "${AUTH#*:}" >"$DIR/htpasswd"
    write_config >"$DIR/config.yml"
    step "starting a registry on 127.0.0.1:$PORT" start
  fi
  for instance in $(instance_names); do trust_registry "$instance" "$PORT"; done
  echo "127.0.0.1:$PORT"
}

down() {
  [ -d "$DIR" ] || { say "no registry on port $PORT: nothing to do"; return 0; }
  with_lock "registry-$PORT"
  step "stopping the registry on 127.0.0.1:$PORT" stop_daemon "registry-$PORT"
  [ "$PURGE" = no ] || rm -rf "$DIR" "$RUN_DIR/registry-$PORT".{log,lock} "$INSTANCES_DIR"/*/certs.d/{localhost,127.0.0.1}:"$PORT"
}

push() {
  local image=${1:-} target
  [ -n "$image" ] || usage
  target=127.0.0.1:$PORT/${2:-${image##*/}}
  daemon_pid "registry-$PORT" >/dev/null || die "no registry runs on port $PORT; run: scripts/host/registry.sh up $PORT"
  local auth=${AUTH:-$(cat "$DIR/auth" 2>/dev/null || true)}
  instance_ctr "${INSTANCE:-2.1}" images push --plain-http ${auth:+--user "$auth"} "$target" "$image" >/dev/null
  echo "$target"
}

COMMAND=${1:-}
[ $# = 0 ] || shift
PORT=15000 AUTH='' TOKEN='' PURGE=no words=()
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  PORT=$1
  shift
fi
while [ $# -gt 0 ]; do
  case $1 in
    --auth) AUTH=${2:-}; [[ $AUTH == ?*:?* ]] || usage; shift ;;
    --token) TOKEN="${2:-} ${3:-}"; [[ $TOKEN == http://?*' '/?* ]] || usage; shift 2 ;;
    --purge) PURGE=yes ;;
    -*) usage ;;
    *) words+=("$1") ;;
  esac
  shift
done
DIR=$REGISTRIES_DIR/$PORT
case $COMMAND in
  up | down) "$COMMAND" ;;
  push) push "${words[@]}" ;;
  *) usage ;;
esac
