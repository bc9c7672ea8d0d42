//go:build tools

// Names upstream's tests of a kubelet, which build.sh builds, so that go.mod and go.sum pin everything they need. This
// package is never built: only its import matters.
package suite

import (
	_ "k8s.io/kubernetes/test/e2e_node"
)
