#!/usr/bin/env bash
# Installs what the tests of a machine's shutdown talk to, where it is missing: a message bus, systemd-inhibit, and
# Python's D-Bus for the fakes of logind and systemd. No service is started.    usage: message-bus.sh
. "$(dirname "${BASH_SOURCE[0]}")/install.sh"

missing_for_bus() {
  local list=()
  command -v dbus-daemon >/dev/null || list+=(dbus-daemon)
  [ -x /usr/bin/systemd-inhibit ] || list+=(systemd)
  /usr/bin/python3 -c 'import dbus.mainloop.glib, gi.repository.GLib' 2>/dev/null || list+=(python3-dbus python3-gi)
  [ ${#list[@]} = 0 ] || echo "${list[*]}"
}

packages=$(missing_for_bus)
[ -n "$packages" ] || exit 0
require_root message-bus
make_dirs
with_lock install
need_apt "$packages"
step "reading the package lists" prepare_suite host
# shellcheck disable=SC2086 # a list of words
step "installing $packages" install_packages $packages
packages=$(missing_for_bus)
[ -z "$packages" ] || die "still missing after the installation: $packages"
