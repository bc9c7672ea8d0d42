#!/usr/bin/env bash
# Builds the runc of our containerd 2.x instances from its Go module (runc/go.mod pins it): Debian 12's is too old
# for pods with users of their own. Built once per version and kept with the other programs; a second run only
# looks at a stamp. From cold on 2 cores: half a minute.
# Fails, and says so, where it cannot be built; instances then use the host's runc.
# usage: runc.sh [--fetch-go]     without the option only a Go that the host has already is used
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
GO_MODULE=$HOST_SCRIPTS/runc
. "$HOST_SCRIPTS/go.sh"

# Static, so that it does not matter what the host has later. With seccomp: without it no profile is enforced.
TAGS='seccomp netgo osusergo urfave_cli_no_docs'
LINK='-s -w -linkmode external -extldflags -static'
DIR=$(dirname "$RUNC")

# What the program depends on; its hash decides about a rebuild. One that was put there by hand has none.
stamp() { { cat "$GO_MODULE"/go.{mod,sum}; echo "$TAGS $LINK"; } | sha256sum | cut -d' ' -f1; }

is_built() { [ -x "$RUNC" ] && { [ ! -f "$DIR/.runc.stamp" ] || [ "$(cat "$DIR/.runc.stamp")" = "$(stamp)" ]; }; }

has_compiler() { command -v gcc >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists libseccomp; }

# build: beside its final place, then renamed: a program that runs is never overwritten.
build() {
  mkdir -p "$DIR"
  cd "$GO_MODULE"
  GOTOOLCHAIN=local CGO_ENABLED=1 "$GO" build -trimpath -buildvcs=false -tags "$TAGS" -ldflags "$LINK" \
    -o "$DIR/.runc.new" github.com/opencontainers/runc
  "$DIR/.runc.new" --version | grep '^libseccomp:' # it runs, and has seccomp
  mv -f "$DIR/.runc.new" "$RUNC"
  stamp >"$DIR/.runc.stamp"
}

FETCH=no
case ${1:-} in
  '') ;;
  --fetch-go) FETCH=yes ;;
  *) sed -n '/^# usage/s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
! is_built || exit 0
make_dirs
exec 9>"$RUN_DIR/runc-build.lock"
flock -n 9 || { say "another build of runc runs: waiting for it"; flock 9; }
! is_built || exit 0
if [ "$FETCH" = yes ]; then
  find_go "building runc $RUNC_VERSION" "put the program into \"$DIR\""
elif ! find_present_go; then
  say "runc $RUNC_VERSION is not built: that needs Go $(wanted_go) or newer, and this host has $(go version 2>/dev/null || echo none)"
  exit 1
fi
if ! has_compiler; then
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    die "building runc $RUNC_VERSION needs a C compiler, pkg-config and libseccomp with its headers"
  step "installing a C compiler and libseccomp's headers, to build runc with" \
    apt_install gcc libc6-dev pkg-config libseccomp-dev
fi
step "building runc $RUNC_VERSION (half a minute if the Go cache is cold)" build
