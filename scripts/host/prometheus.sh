#!/usr/bin/env bash
# Gets Prometheus and its promtool from the host's own Debian package sources, for the tests that check our metrics
# with them. They are only unpacked into the state directory; nothing is installed or started on the host.
# Safe to repeat: prints the directory of the two programs.    usage: prometheus.sh
. "$(dirname "${BASH_SOURCE[0]}")/install.sh"

get_prometheus() {
  local files
  prepare_suite host
  files=$(unpack host prometheus)
  install -m 755 "$files"/usr/bin/{prometheus,promtool} "$BIN_DIR/tools/"
  "$BIN_DIR/tools/prometheus" --version # runs with this host's C library, or fails here
  rm -rf "$HOST_DIR/apt/unpacked/prometheus"
}

if [ ! -x "$BIN_DIR/tools/prometheus" ] || [ ! -x "$BIN_DIR/tools/promtool" ]; then
  require_root host-up
  make_dirs
  with_lock install
  need_apt prometheus
  step "unpacking prometheus" get_prometheus >&2
fi
echo "$BIN_DIR/tools"
