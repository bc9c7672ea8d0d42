#!/usr/bin/env bash
# Gets the QEMU of Debian 13 once and prints the directory that holds it. Not the host's own: QEMU 7.2, which is that
# of Debian 12, miscomputes now and then, and V8 or the kernel inside dies of it. It is unpacked with its libraries and
# run by its own loader, so it is the same on every host and nothing is installed.
# usage: emulator.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/host/install.sh"

SUITE=trixie
EMULATOR_DIR=$HOST_DIR/vm/qemu-$SUITE

# QEMU and the disk run on any Linux; only getting them takes a Debian or a host like it.
WITHOUT_APT="to have QEMU and its disk here, copy $EMULATOR_DIR and $HOST_DIR/vm/$SUITE from a host with apt-get on which \"make vm-test\" has run"

get_emulator() {
  local new=$EMULATOR_DIR.new uri key
  read -r uri key < <(host_archive) || { echo "found no Debian archive entry in /etc/apt; $WITHOUT_APT"; return 1; }
  rm -rf "$new"
  mkdir -p "$(dirname "$new")"
  # Variant "extract": nothing of the packages is run.
  retry mmdebstrap --variant=extract --include=qemu-system-x86 --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$SUITE" "$new" "deb ${key:+[signed-by=$key] }$uri $SUITE main"
  rm -rf "$EMULATOR_DIR"
  mv "$new" "$EMULATOR_DIR"
}

require_root vm-test
make_dirs
with_lock vm-emulator
if [ ! -x "$EMULATOR_DIR/usr/bin/qemu-system-x86_64" ]; then
  command -v mmdebstrap >/dev/null || {
    need_apt mmdebstrap
    step "reading the package lists" prepare_suite host
    step "installing mmdebstrap" install_packages mmdebstrap
  }
  step "unpacking QEMU (a minute)" get_emulator
fi
echo "$EMULATOR_DIR"
