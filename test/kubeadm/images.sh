#!/usr/bin/env bash
# Makes the images of a kubeadm cluster from the programs that build.sh built (no registry is asked), under the names
# that kubeadm asks for, and one with curl, and imports them into containerd instances. Each holds one program and what
# that needs.
# An archive is built once and again only if its recipe or its program changes.
#
# usage: images.sh [INSTANCE…]     (default: only build)
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HOST_SCRIPTS/images.sh"

ARCHIVES=$IMAGES_DIR/kubeadm-$K8S_VERSION
PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd-3.6 coredns)

recipes_hash() {
  {
    cat "$KUBEADM_SCRIPTS/images.sh" "$HOST_SCRIPTS"/{images.sh,make-image.ts}
    local name
    for name in "${PROGRAMS[@]}"; do cat "$K8S_BIN/.$name.stamp"; done
    iptables --version
  } | sha256sum | cut -d' ' -f1
}

# name_of IMAGE: with the tag that this version of kubeadm wants.
name_of() { grep -E "/$1:" "$ARCHIVES/names"; }

# archive IMAGE ROOT OPTION…
archive() {
  local image=$1 root=$2
  shift 2
  make_image --name "$(name_of "$image")" --rootfs "$root" --output "$ARCHIVES/$image.tar" "$@"
}

# Without a shell, as the real ones. CoreDNS is called by its image's entrypoint, the others by name.
build_program() {
  local image=$1 program=$2 root=$3/$1
  shift 3
  mkdir -p "$root"/{etc,tmp}
  install -D -m 755 "$K8S_BIN/$program" "$root/usr/local/bin/$image"
  archive "$image" "$root" "$@"
}

# kube-proxy writes the rules of Services with iptables, which loads its extensions from files.
add_iptables() {
  local root=$1 name program plugins
  program=$(basename "$(readlink -f "$(command -v iptables)")")
  plugins=$(dirname "$(find /usr/lib* -path '*/xtables/libxt_comment.so' | head -n 1)")
  [ "$plugins" != . ] || { echo "found no extensions of iptables"; return 1; }
  add_program "$root" "$program"
  for name in {iptables,ip6tables}{,-save,-restore}; do ln -s "$program" "$root/usr/bin/$name"; done
  mkdir -p "$root$plugins"
  cp -a "$plugins/." "$root$plugins/"
  add_libraries "$root" "$plugins"/*.so
}

# A pod that looks for names as ordinary programs do: with a C library, which in a static busybox lacks that part.
build_client() {
  local root=$1/client
  base_rootfs "$root"
  add_program "$root" curl
  make_image --name localhost/kubeadm-client:1 --rootfs "$root" --output "$ARCHIVES/client.tar" \
    --entrypoint=/bin/tini --entrypoint=-- --cmd=sleep --cmd=infinity
}

build_archives() {
  local work=$ARCHIVES/build image
  rm -rf "$ARCHIVES"
  mkdir -p "$work/kube-proxy"
  "$K8S_BIN/kubeadm" config images list --kubernetes-version "v$K8S_VERSION" >"$ARCHIVES/names"
  for image in kube-apiserver kube-controller-manager kube-scheduler; do build_program "$image" "$image" "$work"; done
  add_iptables "$work/kube-proxy"
  build_program kube-proxy kube-proxy "$work"
  build_program etcd etcd-3.6 "$work"
  build_program coredns coredns "$work" --entrypoint=/usr/local/bin/coredns
  build_client "$work"
  rm -rf "$work"
  recipes_hash >"$ARCHIVES/recipe"
}

# A node that is not of the control plane runs only some of them.
import_archives() {
  local archive
  for archive in "$ARCHIVES"/*.tar; do
    [[ $1 != *-worker || $archive =~ /(kube-proxy|coredns|client)\.tar$ ]] || continue
    instance_ctr "$1" images import "$archive"
  done
}

make_dirs
with_lock images
[ "$(cat "$ARCHIVES/recipe" 2>/dev/null)" = "$(recipes_hash)" ] || step "building the images that kubeadm asks for" build_archives
for instance in "$@"; do
  step "importing the images that kubeadm asks for into instance $instance" import_archives "$instance"
done
