#!/usr/bin/env bash
# Stands in for systemd-run, systemctl and sudo (the name it is called by decides) where systemd is not process 1:
# upstream's suite starts its kubelet as a transient unit, and stops and starts it to change its configuration.
# Knows only what that suite asks for; anything else is an error. The units are files in NODE_E2E_UNITS:
# UNIT.service.{command,log,pid}. Without it the suite would start the kubelet itself, with a setting that moves every
# process of the host into another cgroup, and most Serial tests could not run.
set -euo pipefail

: "${NODE_E2E_UNITS:?names the directory of the units}"

refuse() {
  echo "$(basename "$0"): not known to this stand-in: $*" >&2
  exit 1
}

# pid_of UNIT: its process if that lives. A later process of the same number has another start time.
pid_of() {
  local pid began
  read -r pid began <"$NODE_E2E_UNITS/$1.pid" 2>/dev/null || return 1
  # One that had ended before it could be looked at has no start time.
  [ -n "$began" ] && [ "$(began_at "$pid")" = "$began" ] || return 1
  echo "$pid"
}

# A process that has ended, and whose parent has not asked for its end, is not alive either.
began_at() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  awk '$1 != "Z" { print $20 }' <<<"${stat##*) }"
}

start() {
  local unit=$1 command log
  mapfile -d '' command <"$NODE_E2E_UNITS/$unit.command"
  log=$(cat "$NODE_E2E_UNITS/$unit.log")
  (
    # A lock or a pipe of the caller would be held for as long as the unit lives.
    for file in "/proc/$BASHPID/fd"/*; do
      [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"
    done
    exec setsid "${command[@]}"
  ) >>"$log" 2>&1 </dev/null &
  echo "$! $(began_at "$!")" >"$NODE_E2E_UNITS/$unit.pid"
}

stop() {
  local pid try
  for ((try = 0; try < 300; try++)); do
    pid=$(pid_of "$1") || return 0
    [ "$try" != 0 ] || kill -TERM "$pid" 2>/dev/null || true
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
}

run_unit() {
  local unit='' log=/dev/null word command=()
  [ "$*" != --version ] || { echo 'systemd 252 (stand-in)'; return; }
  while [[ ${1-} == -* ]]; do
    case $1 in
      -p) [[ $2 != StandardError=append:* ]] || log=${2#*:}; shift ;;
      --unit=*) unit=${1#*=} ;;
      --slice=* | --remain-after-exit) ;;
      *) refuse "$1" ;;
    esac
    shift
  done
  [[ $unit =~ ^[A-Za-z0-9_.-]+\.service$ ]] && [ $# -gt 0 ] || refuse "unit \"$unit\" with $# words"
  for word in "$@"; do # the suite has escaped them for systemd
    word=${word//%%/%}
    command+=("${word//\$\$/\$}")
  done
  printf '%s\0' "${command[@]}" >"$NODE_E2E_UNITS/$unit.command"
  echo "$log" >"$NODE_E2E_UNITS/$unit.log"
  start "$unit"
}

list_units() {
  local file unit state
  for file in "$NODE_E2E_UNITS"/*.command; do
    [ -f "$file" ] || continue
    unit=$(basename "$file" .command) state=exited
    ! pid_of "$unit" >/dev/null || state=running
    [ "$1" != running ] || [ "$state" = running ] || continue
    echo "$unit loaded active $state transient unit of the suite"
  done
}

control() {
  local verb=${1-} unit=${2-} pid
  case "$*" in
    'list-units *kubelet*') list_units ''; return ;;
    'list-units *kubelet* --state=running') list_units running; return ;;
  esac
  [[ $unit == *.service ]] || unit=$unit.service
  [ $# = 2 ] && [ -f "$NODE_E2E_UNITS/$unit.command" ] || refuse "$*"
  case $verb in
    reset-failed) ;;
    kill) ! pid=$(pid_of "$unit") || kill -TERM "$pid" ;;
    stop) stop "$unit" ;;
    restart) stop "$unit"; start "$unit" ;;
    *) refuse "$*" ;;
  esac
}

case $(basename "$0") in
  sudo) exec "$@" ;;
  systemd-run) run_unit "$@" ;;
  systemctl) control "$@" ;;
  *) refuse "$(basename "$0")" ;;
esac
