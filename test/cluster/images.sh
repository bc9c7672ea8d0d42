#!/usr/bin/env bash
# Makes the images that the upstream tests ask for from local programs (no registry is asked) and imports them
# into a containerd instance under the very names that the suite lists. Stand-ins, not copies: agnhost is built
# from upstream's sources; busybox, nonroot and the DNS tester are Debian's busybox; nginx is agnhost's web server.
# Each name has content of its own (the file /etc/image-name): some tests expect another image behind another name.
# An archive is built once and again only if its recipe or a program changes.
#
# usage: images.sh [INSTANCE | --build]     (default: cluster; --build imports nothing)
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HOST_SCRIPTS/images.sh"

INSTANCE=${1:-cluster}
ARCHIVES=$IMAGES_DIR/conformance-$K8S_VERSION
IMPORTED=$INSTANCES_DIR/$INSTANCE/conformance-recipe
# The recipes below; an image that the suite lists under another name cannot be made here.
RECIPES=(agnhost busybox nginx nonroot nonewprivs glibc-dns-testing)

# Of upstream's own list, because it changes with every version.
image_names() {
  "$K8S_BIN/image-names" | grep '^registry\.k8s\.io/e2e-test-images/' |
    grep -E "/($(IFS='|' && echo "${RECIPES[*]}")):" | sort -u
}

names_of() { grep -F "/$1:" "$ARCHIVES/names"; }

# archive_of NAME: its file, after the last part of the name and the tag.
archive_of() {
  local name=${1##*/}
  echo "$ARCHIVES/${name/:/-}.tar"
}

recipes_hash() {
  { cat "$CLUSTER_SCRIPTS/images.sh" "$HOST_SCRIPTS"/{images.sh,make-image.ts} "$BIN_DIR"/tools/{busybox,tini} "$K8S_BIN"/.{agnhost,nnp,nmeter,image-names}.stamp; } |
    sha256sum | cut -d' ' -f1
}

# --- recipes --------------------------------------------------------------------------------------

archive() {
  local recipe=$1 root=$2 name
  shift 2
  for name in $(names_of "$recipe"); do
    echo "$name" >"$root/etc/image-name"
    make_image --name "$name" --rootfs "$root" --output "$(archive_of "$name")" "$@"
  done
}

build_agnhost() {
  local root=$1/agnhost
  base_rootfs "$root"
  install -m 755 "$K8S_BIN/agnhost" "$root/agnhost"
  ln -s agnhost "$root/agnhost-2" # a test overrides the entrypoint with it
  mkdir -p "$root/uploads"
  install -m 755 "$K8S_BIN/nmeter" "$root/bin/nmeter" # as in busybox: tests that change to this image measure time on
  # busybox has neither; the tests use options that only these know.
  add_program "$root" curl
  add_program "$root" bash
  ln -sf ../usr/bin/bash "$root/bin/bash"
  # The user and group that a test about supplementary groups expects in the image.
  echo 'user-defined-in-image:x:1000:1000::/home:/bin/sh' >>"$root/etc/passwd"
  printf 'user-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n' >>"$root/etc/group"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$root/localhost.key" -out "$root/localhost.crt" -days 3650 \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1
  chmod 644 "$root/localhost.key"
  archive agnhost "$root" --entrypoint=/agnhost --cmd=pause
  archive nginx "$root" --entrypoint=/agnhost --cmd=netexec --cmd=--http-port=80 --expose 80/tcp
}

build_from_busybox() {
  local root=$1/busybox
  base_rootfs "$root"
  archive glibc-dns-testing "$root" --cmd=sh
  archive nonroot "$root" --entrypoint=/bin/sh --entrypoint=-c --entrypoint='id -u; sleep 5' --user 1234
  install -m 755 "$K8S_BIN/nmeter" "$root/bin/nmeter" # Debian's busybox lacks it, and tests measure time with it
  # Its shell hides variables whose names it cannot assign (data-1), and two tests fail for that; bash instead of
  # it would fail another one, which wants the very words of busybox's shell.
  archive busybox "$root" --cmd=sh
  install -D -m 6755 "$K8S_BIN/nnp" "$root/usr/local/bin/nnp"
  archive nonewprivs "$root" --cmd=nnp
}

build_archives() {
  local work=$ARCHIVES/build
  rm -rf "$ARCHIVES"
  mkdir -p "$work"
  image_names >"$ARCHIVES/names"
  [ -s "$ARCHIVES/names" ] || { echo "upstream lists no images: is \"$K8S_BIN/image-names\" whole?"; return 1; }
  build_agnhost "$work"
  build_from_busybox "$work"
  rm -rf "$work"
  recipes_hash >"$ARCHIVES/recipe"
}

# --- import ---------------------------------------------------------------------------------------

import_archives() {
  local name
  for name in $(<"$ARCHIVES/names"); do instance_ctr "$INSTANCE" images import "$(archive_of "$name")"; done
  cp "$ARCHIVES/recipe" "$IMPORTED"
}

has_all() {
  local present name
  cmp -s "$ARCHIVES/recipe" "$IMPORTED" || return 1
  present=$(instance_ctr "$INSTANCE" images ls -q)
  while read -r name; do grep -qxF "$name" <<<"$present" || return 1; done <"$ARCHIVES/names"
}

"$CLUSTER_SCRIPTS/build.sh" agnhost nnp nmeter image-names
make_dirs
with_lock images
[ "$(cat "$ARCHIVES/recipe" 2>/dev/null)" = "$(recipes_hash)" ] || step "building the images of the upstream tests" build_archives
[ "$INSTANCE" = --build ] || has_all || step "importing the images of the upstream tests into instance $INSTANCE" import_archives
