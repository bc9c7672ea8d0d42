#!/usr/bin/env bash
# Gets the programs that the test and demo host needs and that are missing, from the host's own Debian
# package sources. Small tools are installed; whatever would start a service or clash with a package of
# the host (containerd, docker-registry, busybox-static, tini) is only unpacked into the state directory.
# Safe to repeat: when nothing is missing it says so and does nothing.    usage: install.sh [VERSION…]
# Other scripts source it for its functions around apt; nothing is installed then.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

declare -A PACKAGE_OF=([runc]=runc [iptables]=iptables [ip]=iproute2 [curl]=curl [openssl]=openssl
  [flock]=util-linux [tar]=tar [perl]=perl-base)

missing_packages() {
  local program list=()
  for program in "${!PACKAGE_OF[@]}"; do
    command -v "$program" >/dev/null || list+=("${PACKAGE_OF[$program]}")
  done
  cni_bin_dir >/dev/null || list+=(containernetworking-plugins)
  [ ${#list[@]} = 0 ] || printf '%s\n' "${list[@]}" | sort | xargs
}

has_containerd() {
  local name
  for name in containerd ctr containerd-shim-runc-v2; do
    [ -x "$BIN_DIR/containerd-$1/$name" ] || return 1
  done
}

missing_tools() {
  local name list=()
  for name in busybox tini docker-registry; do
    [ -x "$BIN_DIR/tools/$name" ] || list+=("$name")
  done
  [ ${#list[@]} = 0 ] || echo "${list[*]}"
}

# --- apt ------------------------------------------------------------------------------------------

# need_apt PACKAGE…: ends where there is no apt-get, with $WITHOUT_APT: how to get on all the same.
need_apt() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null && return 0
  # shellcheck source=/dev/null
  die "this host has no apt-get ($(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-unknown system}")); missing: $*${WITHOUT_APT:+; $WITHOUT_APT}"
}

# A mirror hiccup is common and costs a whole run: three tries, a little apart.
retry() {
  local try
  for try in 1 2 3; do
    "$@" && return 0
    echo "try $try of 3 failed: $*"
    sleep $((try * 2))
  done
  return 1
}

# apt_get [SUITE] ARGS: SUITE "host" is the host's configuration as it is; any other is a private one that
# shares the host's source entry but has its own lists and cache, so the host never sees that suite.
apt_options() {
  local suite=$1 dir=$HOST_DIR/apt/$1
  printf '%s\n' -y -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 -o APT::Sandbox::User=root
  [ "$suite" = host ] || printf '%s\n' -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o APT::Default-Release= \
    -o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir/cache" -o Acquire::Languages=none \
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o Acquire::IndexTargets::deb::CNF::DefaultEnabled=false
}

apt_tool() {
  local tool=$1 suite=$2 options
  shift 2
  mapfile -t options < <(apt_options "$suite")
  [ "$tool" != apt-cache ] || options=("${options[@]:2}")
  DEBIAN_FRONTEND=noninteractive "$tool" "${options[@]}" "$@"
}

# Prints "URI SIGNED-BY" of the host's first main Debian archive entry, in either source format.
host_archive() {
  local codename file
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] && awk -v want="$codename" 'BEGIN { RS = ""; FS = "\n" }
      { uri = ""; suites = ""; key = ""
        for (i = 1; i <= NF; i++) {
          if ($i ~ /^URIs:/) { split($i, p, /[ \t]+/); uri = p[2] }
          if ($i ~ /^Suites:/) { suites = " " substr($i, 8) " " }
          if ($i ~ /^Signed-By:[ \t]*\//) { split($i, p, /[ \t]+/); key = p[2] } }
        if (uri != "" && suites ~ ("[ \t](" want "|stable|testing|unstable|sid)[ \t]")) print uri, key }' "$file"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -nE "s#^deb +(\[[^]]*\] +)?([^ ]+) +($codename|stable|testing|unstable|sid) .*#\2 \1#p" "$file" |
      sed -E 's#\[.*signed-by=([^] ]+).*#\1#; s#\[[^]]*\] *##'
  done
  return 0
}

prepare_suite() {
  local suite=$1 dir=$HOST_DIR/apt/$1 uri key
  [ "$suite" = host ] && { retry apt_tool apt-get host update; return; }
  # Not "| head -1": the writer would die of SIGPIPE and pipefail would call that a failure.
  read -r uri key < <(host_archive) || { echo "found no Debian archive entry in /etc/apt"; return 1; }
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
  echo "deb ${key:+[signed-by=$key] }$uri $suite main" >"$dir/sources.list"
  retry apt_tool apt-get "$suite" update
}

candidate() { apt_tool apt-cache "$1" policy "$2" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'; }

# unpack SUITE PACKAGE: prints the directory that now holds the package's files.
unpack() {
  local dir=$HOST_DIR/apt/unpacked/$2
  rm -rf "$dir"
  mkdir -p "$dir"
  (cd "$dir" && retry apt_tool apt-get "$1" download "$2" >&2)
  dpkg -x "$dir"/*.deb "$dir/files" >&2
  echo "$dir/files"
}

# --- what to get ----------------------------------------------------------------------------------

# get_containerd VERSION: takes the first suite whose containerd fits: the exact release first, for 2.1 any
# later 2.x as Debian testing moves on. The host's own suite is asked first because its lists are there.
get_containerd() {
  local version=$1 suite found files suites pattern
  case $version in
    1.6) suites='host bookworm' pattern='^1\.6\.' ;;
    2.1) suites='host forky sid' pattern='^2\.' ;;
    *) echo "no Debian suite is known for containerd $version"; return 1 ;;
  esac
  for suite in $suites; do
    if [ "$suite" != host ]; then prepare_suite "$suite" || continue; fi
    found=$(candidate "$suite" containerd)
    echo "suite $suite has containerd ${found:-(none)}"
    [[ $found =~ $pattern ]] || continue
    files=$(unpack "$suite" containerd)
    mkdir -p "$BIN_DIR/containerd-$version.new"
    cp "$files"/usr/bin/{containerd,ctr,containerd-shim-runc-v2} "$BIN_DIR/containerd-$version.new/"
    "$BIN_DIR/containerd-$version.new/containerd" --version # runs with this host's C library, or fails here
    echo "$found" >"$BIN_DIR/containerd-$version.new/PACKAGE-VERSION"
    rm -rf "$BIN_DIR/containerd-$version"
    mv "$BIN_DIR/containerd-$version.new" "$BIN_DIR/containerd-$version"
    return 0
  done
  echo "found no containerd $version in the suites $suites of the host's package source"
  return 1
}

get_tool() {
  local suite=host package path files
  case $1 in
    busybox) package=busybox-static path=bin/busybox ;;
    tini) package=tini path=usr/bin/tini-static ;;
    docker-registry) package=docker-registry path=usr/bin/docker-registry ;;
    etcd) package=etcd-server path=usr/bin/etcd ;;
  esac
  if [ -z "$(candidate host $package)" ]; then
    suite=bookworm
    prepare_suite bookworm
  fi
  files=$(unpack "$suite" "$package")
  [ -f "$files/$path" ] || path=usr/$path # merged /usr since Debian 13
  install -m 755 "$files/$path" "$BIN_DIR/tools/$1"
}

install_packages() { retry apt_tool apt-get host install --no-install-recommends "$@"; }

# --------------------------------------------------------------------------------------------------

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
[ $# -gt 0 ] || set -- 2.1 1.6
packages=$(missing_packages) tools=$(missing_tools) versions=()
for version in "$@"; do has_containerd "$version" || versions+=("$version"); done
if [ -z "$packages$tools${versions[*]-}" ]; then
  exit 0
fi
require_root host-up
# Whatever goes wrong from here on, say how to do it by hand.
trap '[ $? = 0 ] || manual_help' EXIT
make_dirs
with_lock install
# Another process may have installed all of it while we waited for the lock.
packages=$(missing_packages) tools=$(missing_tools)
need_apt "$packages $tools containerd ${versions[*]-}"
step "reading the package lists" prepare_suite host
# shellcheck disable=SC2086 # a list of words
[ -z "$packages" ] || step "installing $packages" install_packages $packages
for tool in $tools; do
  step "unpacking $tool" get_tool "$tool"
done
for version in "$@"; do
  has_containerd "$version" || step "unpacking containerd $version" get_containerd "$version"
done
rm -rf "$HOST_DIR/apt" # the other suites' package lists are large and seldom wanted again
packages=$(missing_packages)
[ -z "$packages" ] || die "still missing after the installation: $packages"
