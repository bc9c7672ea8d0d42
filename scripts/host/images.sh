#!/usr/bin/env bash
# Builds the images of the test and demo host from local programs (no registry is asked) and imports them:
#   registry.k8s.io/pause:3.10.2   the sandbox process
#   localhost/busybox:1            a shell and busybox's applets, tini at /bin/tini
#   localhost/demo-web:1           a web page on port 8080 that greets and shows its hostname
# An archive is built once and again only if its recipe or its programs change; an instance imports an archive
# only if it has not yet.    usage: images.sh [INSTANCE…]   (default: only build)
# Other scripts source it for base_rootfs, add_program and make_image; nothing is built then.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What the archives depend on; its hash decides about a rebuild.
recipe_hash() {
  cat "$HOST_SCRIPTS"/{images.sh,make-image.ts,pause.c} "$BIN_DIR"/tools/{busybox,tini} | sha256sum | cut -d' ' -f1
}

make_image() { "$(node_program)" --disable-warning=ExperimentalWarning "$HOST_SCRIPTS/make-image.ts" "$@"; }

base_rootfs() {
  local root=$1 applet
  mkdir -p "$root"/{bin,etc,tmp,proc,sys,dev,root,home,usr/bin,var/run,var/tmp}
  chmod 1777 "$root/tmp" "$root/var/tmp"
  install -m 755 "$BIN_DIR/tools/busybox" "$root/bin/busybox"
  install -m 755 "$BIN_DIR/tools/tini" "$root/bin/tini"
  for applet in $("$BIN_DIR/tools/busybox" --list); do
    [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"
  done
  ln -sf ../../bin/env "$root/usr/bin/env"
  printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnobody:x:65534:\n' >"$root/etc/group"
}

# add_program ROOT PROGRAM: a dynamic program of the host with the libraries it needs.
add_program() {
  local root=$1 program
  program=$(command -v "$2") || { echo "$2 is missing on this host; install it"; return 1; }
  install -D -m 755 "$(readlink -f "$program")" "$root/usr/bin/$2"
  add_libraries "$root" "$program"
}

# add_libraries ROOT FILE…: those that these programs or libraries of the host need.
add_libraries() {
  local root=$1 library
  shift
  for library in $(ldd "$@" | grep -oE '/[^ ]+ \(0x' | cut -d' ' -f1 | sort -u); do
    install -D -m 755 "$(readlink -f "$library")" "$root$library"
  done
}

build_pause() {
  local root=$1/pause command=(--entrypoint=/pause)
  mkdir -p "$root"
  if ! { command -v gcc >/dev/null && gcc -Os -static -s -o "$root/pause" "$HOST_SCRIPTS/pause.c"; }; then
    echo "no C compiler with a static C library: the pause image is made of tini and sleep"
    base_rootfs "$root"
    command=(--entrypoint=/bin/tini --entrypoint=-s --entrypoint=-- --entrypoint=/bin/sleep --entrypoint=infinity)
  fi
  make_image --name "$PAUSE_IMAGE" --rootfs "$root" --output "$IMAGES_DIR/pause.tar" "${command[@]}" --user 65535:65535
}

build_busybox() {
  base_rootfs "$1/busybox"
  make_image --name localhost/busybox:1 --rootfs "$1/busybox" --output "$IMAGES_DIR/busybox.tar" --cmd=sh
}

# The page is made per request (httpd runs cgi-bin/index.cgi when there is no index.html), so that a read-only
# root file system and any user will do. tini passes SIGTERM on: httpd as process 1 would not see it.
build_demo_web() {
  local root=$1/demo-web
  base_rootfs "$root"
  mkdir -p "$root/www/cgi-bin"
  echo ok >"$root/www/healthz"
  cat >"$root/www/cgi-bin/index.cgi" <<'CGI'
#!/bin/sh
name=$(hostname)
printf 'Content-Type: text/html; charset=utf-8\r\n\r\n'
cat <<HTML
<!doctype html>
<title>Hello from $name</title>
<h1>Hello from kubelet-ts</h1>
<p>This page is served by pod <b>$name</b>.</p>
HTML
CGI
  chmod 755 "$root/www/cgi-bin/index.cgi"
  make_image --name localhost/demo-web:1 --rootfs "$root" --output "$IMAGES_DIR/demo-web.tar" --user 65534:65534 \
    --entrypoint=/bin/tini --entrypoint=-- --cmd=httpd --cmd=-f --cmd=-p --cmd=8080 --cmd=-h --cmd=/www \
    --expose 8080/tcp --workdir /www --label org.opencontainers.image.title=demo-web
}

build_all() {
  local work=$IMAGES_DIR/build
  rm -rf "$work"
  build_pause "$work"
  build_busybox "$work"
  build_demo_web "$work"
  rm -rf "$work"
  recipe_hash >"$IMAGES_DIR/recipe"
}

import_all() {
  local instance=$1 archive
  for archive in "$IMAGES_DIR"/{pause,busybox,demo-web}.tar; do
    instance_ctr "$instance" images import "$archive"
  done
  cp "$IMAGES_DIR/recipe" "$INSTANCES_DIR/$instance/images-recipe"
}

has_images() {
  local present name
  cmp -s "$IMAGES_DIR/recipe" "$INSTANCES_DIR/$1/images-recipe" || return 1
  present=$(instance_ctr "$1" images ls -q)
  for name in "$PAUSE_IMAGE" localhost/busybox:1 localhost/demo-web:1; do
    grep -qxF "$name" <<<"$present" || return 1
  done
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
[ -x "$BIN_DIR/tools/busybox" ] || die "busybox is missing in \"$BIN_DIR/tools\"; run: scripts/host/install.sh"
make_dirs
with_lock images
[ "$(cat "$IMAGES_DIR/recipe" 2>/dev/null)" = "$(recipe_hash)" ] || step "building the images pause, busybox and demo-web" build_all
for instance in "$@"; do
  has_images "$instance" || step "importing the images into instance $instance" import_all "$instance"
done
