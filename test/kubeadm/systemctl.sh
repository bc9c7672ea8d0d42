#!/usr/bin/env bash
# Stands in for systemctl and systemd-notify (the name it is called by decides) on a machine of machine.sh, which has no
# systemd: kubeadm asks it whether there is a unit "kubelet", and starts, stops and restarts that. The unit is what
# kubeadm's package makes of it: started with the files that kubeadm writes, and again when it ends (kubelet-unit.sh).
# Knows only what kubeadm asks for; anything else is an error. Its state is in /run/kubelet-unit of the machine:
#   type      notify: a start is over when the kubelet says so, as in the unit of our package; simple: at once
#   pid       of kubelet-unit.sh
#   notified  what the kubelet has said so far
set -euo pipefail

STATE=${KUBELET_UNIT_STATE:-/run/kubelet-unit}
LIMIT_SECONDS=90 # systemd's own for a stop

refuse() {
  echo "$(basename "$0"): not known to this stand-in: $*" >&2
  exit 1
}

is_alive() { [ -f "$STATE/pid" ] && kill -0 "$(<"$STATE/pid")" 2>/dev/null; }

is_ready() { [ "$(<"$STATE/type")" = simple ] || grep -qx 'READY=1' "$STATE/notified" 2>/dev/null; }

start() {
  ! is_alive || return 0
  rm -f "$STATE/ended"
  : >"$STATE/notified"
  # Nothing of the caller's stays open: kubeadm would wait for the end of its pipes.
  setsid "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/kubelet-unit.sh" >>"${KUBELET_UNIT_LOG:-/var/log/kubelet.log}" 2>&1 </dev/null &
  echo "$!" >"$STATE/pid"
  # A start that fails is one for systemctl too; the unit goes on trying.
  until is_ready; do
    [ ! -e "$STATE/ended" ] || return 1
    is_alive || return 1
    sleep 0.05
  done
}

stop() {
  local pid try
  is_alive || return 0
  pid=$(<"$STATE/pid")
  kill -TERM "$pid"
  for ((try = 0; try < LIMIT_SECONDS * 20; try++)); do
    is_alive || { rm -f "$STATE/pid"; return 0; }
    sleep 0.05
  done
  kill -KILL -- "-$pid"
  rm -f "$STATE/pid"
}

state_of() {
  if ! is_alive; then echo inactive
  elif is_ready && [ ! -e "$STATE/ended" ]; then echo active
  else echo activating; fi
}

control() {
  local verb=${1-} unit=${2-}
  if [ "$*" = daemon-reload ]; then return; fi
  [ $# = 2 ] || refuse "$*"
  if [ "${unit%.service}" != kubelet ]; then
    case $verb in
      status) echo "Unit $unit could not be found." >&2; exit 4 ;;
      is-active) echo inactive; exit 3 ;;
      is-enabled) exit 1 ;;
      *) refuse "$*" ;;
    esac
  fi
  case $verb in
    start) start ;;
    stop) stop ;;
    restart) stop; start ;;
    is-enabled) echo enabled ;;
    is-active) state_of; [ "$(state_of)" = active ] ;;
    status) printf 'kubelet.service\n     Loaded: loaded\n     Active: %s\n' "$(state_of)" ;;
    *) refuse "$*" ;;
  esac
}

case $(basename "$0") in
  systemctl) control "$@" ;;
  systemd-notify) [ $# = 1 ] || refuse "$*"; echo "$1" >>"${NOTIFY_SOCKET:?names the file to write to}" ;;
  *) refuse "$(basename "$0")" ;;
esac
