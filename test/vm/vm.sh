#!/usr/bin/env bash
# A virtual machine with systemd as process 1 and cgroup v2, without network, on an emulated processor: where the
# host has neither, the tests that need them run there. This tree, its Node, containerd, runc and the images come in
# on a second disk; nothing that the machine writes is kept. Always ends the machine, also after an interrupt.
#
# usage: [DRIVERS='cgroupfs systemd'] [VM_TIMEOUT=SECONDS] [VM_COUNTED=1] [TEST_FLAGS=…] vm.sh test [FILE…]
#        vm.sh shell
#        vm.sh drive FILE…
# test   runs the files (without any: test/vm/suites.txt) for each cgroup driver; prints their report, ends with
#        their exit code
# shell  a root shell on its console; the end of the shell or ^A x ends the machine
# drive  runs test files here that boot the machine as a node, shut it down and cut its power
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/host/lib.sh"

VM_SCRIPTS=$REPO_ROOT/test/vm
PAYLOAD_SIZE=8G
TIMEOUT=${VM_TIMEOUT:-9000}
# Only for development, and large.
UNUSED_MODULES=(@biomejs @esbuild esbuild @typescript typescript .cache)

# --- the payload disk -----------------------------------------------------------------------------

copy_tree() {
  local name excluded=()
  for name in "${UNUSED_MODULES[@]}"; do excluded+=("--exclude=./node_modules/$name"); done
  mkdir -p "$1"
  tar -C "$REPO_ROOT" --exclude=./.git "${excluded[@]}" --exclude='./*.log' -cf - . | tar -C "$1" -xf -
}

# The programs under the same names as here, so that the host scripts find all of it and fetch nothing.
copy_programs() {
  local host=$1 dir
  mkdir -p "$host/bin" "$host/images"
  for dir in containerd-2.1 tools "runc-$RUNC_VERSION"; do
    [ ! -d "$BIN_DIR/$dir" ] || cp -a "$BIN_DIR/$dir" "$host/bin/"
  done
  cp -a "$IMAGES_DIR"/{pause.tar,busybox.tar,demo-web.tar,recipe} "$host/images/"
}

write_plan() { printf 'DRIVERS=%q\nFILES=%q\nTEST_FLAGS=%q\n' "${DRIVERS:-cgroupfs systemd}" "${FILES[*]-}" "${TEST_FLAGS:-}"; }

make_payload() {
  copy_tree "$WORK/payload/tree"
  copy_programs "$WORK/payload/host"
  write_plan >"$WORK/payload/plan"
  mkfs.ext4 -q -F -d "$WORK/payload" "$WORK/payload.img" "$PAYLOAD_SIZE"
  rm -rf "$WORK/payload"
}

# --- the machine ----------------------------------------------------------------------------------

# Two processors and the host's time; or, with VM_COUNTED=1, one whose clock counts instructions: where the host has no
# time for it the machine is slow without noticing, and no time limit inside is missed.
machine_options() {
  local processors=(-accel tcg,thread=multi,tb-size=1024 -smp 2)
  [ "${VM_COUNTED:-0}" = 0 ] ||
    processors=(-accel tcg,thread=single,tb-size=1024 -smp 1 -icount shift=1,align=off,sleep=on)
  printf '%s\n' "${processors[@]}" -cpu Nehalem,-cx16 -m 4096 -display none \
    -kernel "$DISK_DIR/vmlinuz" -initrd "$DISK_DIR/initrd"
}

# disk_options ROOT [MORE]: the second disk is the payload.
disk_options() {
  printf '%s\n' -drive "file=$1,if=virtio,format=raw,cache=unsafe${2:-}" \
    -drive "file=$WORK/payload.img,if=virtio,format=raw,cache=unsafe"
}

# For one boot, without network; the root disk stays as it is.
one_boot_options() {
  machine_options
  disk_options "$DISK_DIR/disk.img" ,snapshot=on
  printf '%s\n' -no-reboot -nic none
}

# Huge pages, so that there are some to give away. Page tables that are switched at every system call, and a clock that
# has to be read from a device, are what an emulated processor spends most of its time on: neither is wanted here.
kernel_line() {
  echo "root=/dev/vda rw console=ttyS0 quiet psi=1 hugepages=32 mitigations=off tsc=reliable audit=0 $*"
}

# end_machine: nothing of it is worth a clean end.
end_machine() {
  local pid
  for pid in ${MACHINE:-} ${FOLLOWER:-}; do kill -TERM "$pid" 2>/dev/null || true; done
  rm -rf "$WORK"
}

run_test() {
  local options result
  mapfile -t options < <(one_boot_options)
  touch "$WORK/report" "$WORK/result"
  "$VM_SCRIPTS/qemu.sh" "$EMULATOR_DIR" "${options[@]}" -serial "file:$WORK/console" -device virtio-serial \
    -chardev "file,id=report,path=$WORK/report" -device virtserialport,chardev=report,name=report \
    -chardev "file,id=result,path=$WORK/result" -device virtserialport,chardev=result,name=result \
    -append "$(kernel_line vm.suite)" </dev/null >"$WORK/qemu" 2>&1 &
  MACHINE=$!
  say "the machine runs; its suites begin in a minute or two, and it has $TIMEOUT s"
  timeout "$TIMEOUT" tail -n +1 -f --pid="$MACHINE" "$WORK/report" &
  FOLLOWER=$!
  # Not in the foreground: the shell would obey a signal only after its end.
  wait "$FOLLOWER" || say "the time is up"
  kill -KILL "$MACHINE" 2>/dev/null || true
  result=$(tr -dc 0-9 <"$WORK/result")
  [ -z "$result" ] || return "$result"
  say "the machine ended without a result; the end of its console:"
  tail -n 40 "$WORK/console" 2>/dev/null | tr -dc '\11\12\40-\176' | sed 's/^/    /' >&2
  sed 's/^/    /' "$WORK/qemu" >&2
  return 1
}

run_shell() {
  local options
  mapfile -t options < <(one_boot_options)
  "$VM_SCRIPTS/qemu.sh" "$EMULATOR_DIR" "${options[@]}" -serial mon:stdio -append "$(kernel_line)"
}

# The tests run here and boot the machine themselves, more than once: what it writes is kept from one boot to the next.
run_drive() {
  local options
  cp --sparse=always "$DISK_DIR/disk.img" "$WORK/root.img"
  mapfile -t options < <(machine_options && disk_options "$WORK/root.img")
  VM_DIR=$WORK VM_QEMU=$VM_SCRIPTS/qemu.sh VM_EMULATOR=$EMULATOR_DIR VM_OPTIONS=$(printf '%s\n' "${options[@]}") \
    VM_KERNEL_LINE=$(kernel_line vm.node net.ifnames=0) timeout "$TIMEOUT" "$(node_program)" \
    --disable-warning=ExperimentalWarning --test --test-reporter=spec --test-concurrency=1 "${FILES[@]}" &
  MACHINE=$!
  wait "$MACHINE"
}

# A run that was killed leaves its disks; one that lives holds its lock.
remove_stale() {
  local lock
  for lock in "$HOST_DIR"/vm/run-*/lock; do
    [ ! -e "$lock" ] || flock -n "$lock" rm -rf "$(dirname "$lock")" || true
  done
}

COMMAND=${1:-}
[[ $COMMAND =~ ^(test|shell|drive)$ ]] || { sed -n '/^# usage/,/^# drive/s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
shift
FILES=("$@")
[ $# -gt 0 ] || mapfile -t FILES < <(grep -v '^#' "$VM_SCRIPTS/suites.txt")
require_root "vm-$COMMAND"
"$HOST_SCRIPTS/install.sh" 2.1
"$HOST_SCRIPTS/images.sh"
"$HOST_SCRIPTS/runc.sh" || true
EMULATOR_DIR=$("$VM_SCRIPTS/emulator.sh")
DISK_DIR=$("$VM_SCRIPTS/root-disk.sh")
remove_stale
WORK=$(mktemp -d "$HOST_DIR/vm/run-XXXXXX")
exec 8>"$WORK/lock"
flock 8
trap end_machine EXIT
trap 'exit 130' INT TERM
step "making the payload disk" make_payload
"run_$COMMAND"
