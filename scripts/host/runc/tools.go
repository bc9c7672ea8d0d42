//go:build tools

// Names the program that runc.sh builds, so that go.mod and go.sum pin everything it needs. This package is
// never built: only its imports matter.
package runc

import _ "github.com/opencontainers/runc"
