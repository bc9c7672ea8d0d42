//go:build tools

// Names the upstream programs that `make cluster-kubeadm` needs besides a control plane, so that go.mod and go.sum pin
// everything they need. A module of its own, so that the pins of the others stay as they are. This package is never
// built: only its imports matter.
package programs

import (
	_ "k8s.io/kubernetes/cmd/kube-proxy"
	_ "k8s.io/kubernetes/cmd/kubeadm"
)
