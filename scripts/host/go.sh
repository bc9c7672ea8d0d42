# shellcheck shell=bash
# Sourced, after lib.sh, by scripts that build programs from Go modules: a Go that is new enough for the module in
# GO_MODULE (a directory with a go.mod), of the host or fetched. Sets GO.

wanted_go() { awk '$1 == "go" { print $2 }' "$GO_MODULE/go.mod"; }

# is_new_enough PROGRAM: whether this Go, without fetching another one, can build the module.
is_new_enough() {
  local version
  version=$(cd / && GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  [ "$(printf '%s\n' "$(wanted_go)" "${version#go}" | sort -V | head -n 1)" = "$(wanted_go)" ]
}

# find_present_go: among those that this host has; fails when none will do.
find_present_go() {
  local program
  for program in "$(command -v go || true)" "$BIN_DIR/tools/go" /usr/local/go/bin/go; do
    if [ -n "$program" ] && is_new_enough "$program"; then
      GO=$program
      return 0
    fi
  done
  return 1
}

# find_go WHAT INSTEAD: gets one when the host has none or an old one (Debian's package, then the toolchain that
# go.mod names through the Go module proxy); ends with an error that says what for and what to do instead.
find_go() {
  ! find_present_go || return 0
  if ! command -v go >/dev/null; then
    command -v apt-get >/dev/null || no_go "$@" "it has no apt-get to install one"
    [ "$(id -u)" = 0 ] || no_go "$@" "only root can install one"
    step "installing Debian's Go, to fetch a newer one with" apt_install golang-go
  fi
  step "fetching Go $(wanted_go) through the Go module proxy" fetch_toolchain "$(command -v go)"
  GO=$BIN_DIR/tools/go
  is_new_enough "$GO" || no_go "$@" "the fetched one does not run"
}

no_go() {
  die "$1 needs Go $(wanted_go) or newer; this host has $(go version 2>/dev/null || echo none), and $3.
Install a newer Go on the PATH and run this again; or $2."
}

go_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) uname -m ;; esac; }

# An old Go cannot switch to a newer one by itself (that came with 1.21), but any Go can fetch a module, and a
# toolchain is one. Modules carry no executable bits.
fetch_toolchain() {
  local dir
  dir=$(cd / && GOTOOLCHAIN=local GO111MODULE=on GOFLAGS=-modcacherw "$1" mod download -json \
    "golang.org/toolchain@v0.0.1-go$(wanted_go).linux-$(go_arch)" | awk -F'"' '$2 == "Dir" { print $4 }')
  [ -n "$dir" ] || return 1
  chmod a+x "$dir"/bin/* "$dir"/pkg/tool/*/*
  mkdir -p "$BIN_DIR/tools"
  ln -sfn "$dir/bin/go" "$BIN_DIR/tools/go"
  "$BIN_DIR/tools/go" version
}

# apt_install PACKAGE…: with the functions of the host's own installer.
apt_install() (
  . "$HOST_SCRIPTS/install.sh"
  prepare_suite host
  install_packages "$@"
)
