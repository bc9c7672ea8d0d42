#!/bin/sh
# Prints where tests keep their files: memory, where there is a gigabyte of it and programs may run from it
# (some tests make tens of thousands of files, which cost a disk most of their time), else the usual place.
set -eu
usual=${TMPDIR:-/tmp}
memory=/dev/shm
[ -w "$memory" ] && [ "$(df --output=avail -k "$memory" | tail -n 1)" -ge 1048576 ] || { echo "$usual"; exit 0; }
program=$(mktemp "$memory/may-run.XXXXXX")
trap 'rm -f "$program"' EXIT
cp /bin/true "$program"
chmod 700 "$program"
if "$program" 2>/dev/null; then echo "$memory"; else echo "$usual"; fi
