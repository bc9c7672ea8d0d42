#!/usr/bin/env bash
# Inside the machine, beside upstream's tests of a graceful shutdown. They send the signal of logind themselves, which
# any program can; our kubelet asks logind whether it is true. So it is made true: at such a signal the machine is asked
# to reboot, and at the signal that calls the shutdown off that comes to nothing. Meanwhile logind waits for a lock of
# ours as it does for that of the kubelet.
set -euo pipefail
LOGIND=(org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager)
NAME='The tests'

is_pending() { [ "$(busctl get-property "${LOGIND[@]}" PreparingForShutdown)" = 'b true' ]; }
is_held() { systemd-inhibit --list --no-pager | grep -qF "$NAME"; }

hold() {
  systemd-inhibit --what=shutdown --mode=delay --who="$NAME" --why='Say when it is called off' sleep infinity &
  LOCK=$!
  until is_held; do sleep 0.1; done
}

call_off() {
  kill "$LOCK"
  while is_pending || is_held; do sleep 0.1; done
  systemctl unmask --quiet --runtime reboot.target
}

# What cannot be started once the locks are gone logind calls off; it would refuse to begin with it.
announce() {
  busctl call "${LOGIND[@]}" Reboot b false
  systemctl mask --quiet --runtime reboot.target
}

hold
busctl monitor --json=short \
  --match="type='signal',interface='${LOGIND[2]}',member='PrepareForShutdown'" |
  while read -r message; do
    logind=$(busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetNameOwner s "${LOGIND[0]}" | cut -d'"' -f2)
    case $message in
      *"\"sender\":\"$logind\""*) ;;
      *'"data":[true]'*) announce ;;
      *'"data":[false]'*)
        call_off
        hold
        ;;
    esac
  done
