#!/usr/bin/env bash
# Builds the upstream programs that tests and benchmarks compare with or need, from Go modules (go.mod pins
# them): a program is built once per version and kept outside the work tree; a second run only looks at stamps.
#
# usage: build.sh [kubelet|control-plane|e2e|live|node-e2e|kubeadm|all|PROGRAM]…       (default: all)
#   kubelet        kubelet
#   control-plane  kube-apiserver kube-controller-manager kube-scheduler kubectl
#   e2e            e2e.test ginkgo agnhost nnp
#   live           csi-driver (ours, from csi/), csi-sanity, dra-test-driver, sample-device-plugin: what the live tests
#                  need besides, but metrics-server, which takes longest and the last of them builds itself
#   node-e2e       e2e_node.test, nmeter (ours), sample-device-plugin: what `make node-e2e` needs besides
#   kubeadm        kubeadm kube-proxy etcd-3.6 coredns (ours around upstream's plugins): what `make cluster-kubeadm` needs besides
#   resource-oracle  ours, from ../resource-oracle/upstream: upstream's resource managers, for `make resource-oracle`
# From cold on 2 cores: kubelet 6 min, control plane 4, e2e 5, node-e2e 3. Needs Go; gets one if the host has none or an
# old one (Debian's package, then the toolchain that go.mod names through the Go module proxy).
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
GO_MODULE=$CLUSTER_SCRIPTS
. "$HOST_SCRIPTS/go.sh"

usage() {
  sed -n '/^# usage/,/^# From/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

declare -A PACKAGE=(
  [kubelet]=k8s.io/kubernetes/cmd/kubelet
  [kube-apiserver]=k8s.io/kubernetes/cmd/kube-apiserver
  [kube-controller-manager]=k8s.io/kubernetes/cmd/kube-controller-manager
  [kube-scheduler]=k8s.io/kubernetes/cmd/kube-scheduler
  [kubectl]=k8s.io/kubernetes/cmd/kubectl
  [e2e.test]=k8s.io/kubernetes/test/e2e
  [ginkgo]=github.com/onsi/ginkgo/v2/ginkgo
  [agnhost]=k8s.io/kubernetes/test/images/agnhost
  [nnp]=k8s.io/kubernetes/test/images/nonewprivs
  [csi-sanity]=github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity
  [metrics-server]=sigs.k8s.io/metrics-server/cmd/metrics-server
  [e2e_node.test]=k8s.io/kubernetes/test/e2e_node
  [dra-test-driver]=k8s.io/kubernetes/test/e2e/dra/test-driver
  [sample-device-plugin]=k8s.io/kubernetes/test/images/sample-device-plugin
  [kubeadm]=k8s.io/kubernetes/cmd/kubeadm
  [kube-proxy]=k8s.io/kubernetes/cmd/kube-proxy
  [etcd-3.6]=go.etcd.io/etcd/server/v3
)
# Programs in folders of their own, seen from this one: ours, what is no part of Kubernetes, and what needs more modules
# than the rest. All but the names of images are modules of their own, so that the pins above stay as they are.
declare -A OWN=([csi-driver]=csi [csi-sanity]=csi-sanity [metrics-server]=metrics-server [e2e_node.test]=../node-e2e/suite
  [kubeadm]=../kubeadm/programs [kube-proxy]=../kubeadm/programs [etcd-3.6]=../kubeadm/etcd [coredns]=../kubeadm/coredns
  [nmeter]=../node-e2e/nmeter [image-names]=image-names [resource-oracle]=../resource-oracle/upstream)
CONTROL_PLANE=(kube-apiserver kube-controller-manager kube-scheduler kubectl)
E2E=(e2e.test ginkgo agnhost nnp)
LIVE=(csi-driver csi-sanity dra-test-driver sample-device-plugin)
NODE_E2E=(e2e_node.test nmeter sample-device-plugin)
KUBEADM=(kubeadm kube-proxy etcd-3.6 coredns)

ldflags() {
  local package
  printf '%s' '-s -w'
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf ' -X %s=%s' "$package.gitVersion" "v$K8S_VERSION" "$package.gitMajor" "${K8S_VERSION%%.*}" \
      "$package.gitMinor" "$(cut -d. -f2 <<<"$K8S_VERSION")" "$package.gitTreeState" clean
  done
}

# What a program depends on; its hash decides about a rebuild.
stamp_of() {
  if [ -n "${OWN[$1]-}" ]; then
    find "$CLUSTER_SCRIPTS/${OWN[$1]}" -name 'go.*' -o -name '*.go' | sort | xargs cat | sha256sum | cut -d' ' -f1
    return
  fi
  { cat "$CLUSTER_SCRIPTS"/go.{mod,sum}; echo "${PACKAGE[$1]} $(ldflags)"; } | sha256sum | cut -d' ' -f1
}

is_built() { [ -x "$K8S_BIN/$1" ] && [ "$(cat "$K8S_BIN/.$1.stamp" 2>/dev/null)" = "$(stamp_of "$1")" ]; }

# --- build ----------------------------------------------------------------------------------------

# build PROGRAM: beside its final place, then renamed: a program that runs is never overwritten.
build() {
  local name=$1 command=(build)
  [[ $name != *.test ]] || command=(test -c -vet=off)
  cd "$CLUSTER_SCRIPTS/${OWN[$name]-}"
  # No cgo: static programs, which the images of the tests need. GOFLAGS of the caller stay in force.
  GOTOOLCHAIN=local CGO_ENABLED=0 "$GO" "${command[@]}" -trimpath -buildvcs=false -ldflags "$(ldflags)" \
    -o "$K8S_BIN/.$name.new" "${PACKAGE[$name]-.}"
  mv -f "$K8S_BIN/.$name.new" "$K8S_BIN/$name"
  stamp_of "$name" >"$K8S_BIN/.$name.stamp"
}

build_missing() {
  local name missing=() number=0
  for name in "$@"; do is_built "$name" || missing+=("$name"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  make_dirs
  mkdir -p "$K8S_BIN"
  # Two builds at once would do the same work twice; one may take much longer than with_lock waits.
  exec 9>"$RUN_DIR/kubernetes-build.lock"
  flock -n 9 || { say "another build of Kubernetes runs: waiting for it"; flock 9; }
  find_go "building Kubernetes $K8S_VERSION" "put the built programs and their .stamp files of another host into \"$K8S_BIN\""
  for name in "${missing[@]}"; do
    number=$((number + 1))
    is_built "$name" || step "building $name $K8S_VERSION ($number of ${#missing[@]}; minutes if the Go cache is cold)" build "$name"
  done
}

names=()
[ $# -gt 0 ] || set -- all
for word in "$@"; do
  case $word in
    control-plane) names+=("${CONTROL_PLANE[@]}") ;;
    e2e) names+=("${E2E[@]}") ;;
    all) names+=(kubelet "${CONTROL_PLANE[@]}" "${E2E[@]}" "${!OWN[@]}") ;;
    -*) usage ;;
    live) names+=("${LIVE[@]}") ;;
    node-e2e) names+=("${NODE_E2E[@]}") ;;
    kubeadm) names+=("${KUBEADM[@]}") ;;
    *) [ -n "${PACKAGE[$word]-}${OWN[$word]-}" ] || usage; names+=("$word") ;;
  esac
done
build_missing "${names[@]}"
