#!/usr/bin/env bash
# Runs QEMU from the directory that emulator.sh printed, with the libraries and the loader that came with it.
# It dies with who started it, however that ends.    usage: qemu.sh DIRECTORY OPTION…
dir=$1
shift
libraries=$dir/usr/lib/x86_64-linux-gnu
QEMU_MODULE_DIR=$libraries/qemu exec setpriv --pdeathsig KILL "$dir/usr/lib64/ld-linux-x86-64.so.2" \
  --library-path "$libraries" "$dir/usr/bin/qemu-system-x86_64" -L "$dir/usr/share/qemu" -L "$dir/usr/share/seabios" "$@"
