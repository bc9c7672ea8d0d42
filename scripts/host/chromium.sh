#!/usr/bin/env bash
# Installs Chromium, in which the tests look at the page, where it is missing.    usage: chromium.sh
. "$(dirname "${BASH_SOURCE[0]}")/install.sh"

missing_browser() {
  command -v chromium >/dev/null || echo chromium
}

packages=$(missing_browser)
[ -n "$packages" ] || exit 0
require_root chromium
make_dirs
with_lock install
need_apt "$packages"
step "reading the package lists" prepare_suite host
step "installing $packages" install_packages "$packages"
packages=$(missing_browser)
[ -z "$packages" ] || die "still missing after the installation: $packages"
