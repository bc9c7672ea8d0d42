#!/usr/bin/env bash
# Makes a clean Debian root file system below DIRECTORY, from the host's own package source: what a package finds on
# a machine that has nothing of ours. Its archive is kept for the next time. No systemd, and nothing is mounted.
# usage: root.sh DIRECTORY
target=${1:?usage: root.sh DIRECTORY}
set --
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/host/install.sh"

SUITE=bookworm
ARCHIVE=$HOST_DIR/package-root-$SUITE.tar

build() {
  local uri key
  read -r uri key < <(host_archive) || { echo "found no Debian archive entry in /etc/apt"; return 1; }
  retry mmdebstrap --variant=minbase --include=libstdc++6,mount "$SUITE" "$ARCHIVE.new.tar" "deb ${key:+[signed-by=$key] }$uri $SUITE main"
  mv "$ARCHIVE.new.tar" "$ARCHIVE"
}

if ! command -v mmdebstrap >/dev/null; then
  step "reading the package lists" prepare_suite host
  step "installing mmdebstrap" install_packages mmdebstrap
fi
[ -e "$ARCHIVE" ] || step "making a clean Debian root (a minute)" build
mkdir -p "$target"
tar -xf "$ARCHIVE" -C "$target" --numeric-owner --exclude='./dev/*'
