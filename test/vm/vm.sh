#!/usr/bin/env bash
# A virtual machine with systemd as process 1 and cgroup v2, without network, on an emulated processor: where the
# host has neither, the tests that need them run there. This tree, its Node, containerd, runc and the images come in
# on a second disk; nothing that the machine writes is kept. Always ends the machine, also after an interrupt.
#
# usage: [VM_KIND=namespaces] [DRIVERS='cgroupfs systemd'] [VM_TIMEOUT=SECONDS] [VM_COUNTED=1] [TEST_FLAGS=…] vm.sh test [FILE…]
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

# node_modules may be a link, as in a work tree that shares it with another.
copy_tree() {
  local name excluded=()
  for name in "${UNUSED_MODULES[@]}"; do excluded+=("--exclude=./$name"); done
  mkdir -p "$1/node_modules"
  tar -C "$REPO_ROOT" --exclude=./.git --exclude=./node_modules --exclude='./*.log' -cf - . | tar -C "$1" -xf -
  tar -C "$REPO_ROOT/node_modules/" "${excluded[@]}" -cf - . | tar -C "$1/node_modules" -xf -
}

# The programs under the same names as here, so that the host scripts find all of it and fetch nothing.
copy_programs() {
  local host=$1 dir
  mkdir -p "$host/bin" "$host/images"
  for dir in containerd-2.1 tools "runc-$RUNC_VERSION"; do
    [ ! -d "$BIN_DIR/$dir" ] || cp -a "$BIN_DIR/$dir" "$host/bin/"
  done
  # Only for the suite that compares with it, where it was built.
  for dir in "$BIN_DIR"/kubernetes-*/kubelet; do
    [ ! -x "$dir" ] || install -D "$dir" "$host/bin/upstream/kubelet"
  done
  cp -a "$IMAGES_DIR"/{pause.tar,busybox.tar,demo-web.tar,recipe} "$host/images/"
}

# write_plan PATIENCE [FLAG…]: how much longer than elsewhere tests may wait, and flags for Node.
write_plan() {
  printf 'DRIVERS=%q\nFILES=%q\n' "${DRIVERS:-cgroupfs systemd}" "${FILES[*]-}"
  printf 'TEST_FLAGS=%q\nKUBELET_TS_PATIENCE=%q\n' "${*:2} ${TEST_FLAGS:-}" "${KUBELET_TS_PATIENCE:-$1}"
}

fill_payload() {
  copy_tree "$WORK/payload/tree"
  copy_programs "$WORK/payload/host"
}

make_payload() {
  fill_payload
  "$(node_program)" --disable-warning=ExperimentalWarning "$VM_SCRIPTS/strip-types.ts" "$WORK/payload/tree"
  # An emulated processor is some ten times slower than a real one.
  write_plan 6 --import ./test/vm/guest/plain-modules.mjs >"$WORK/payload/plan"
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
  disk_options "$1" ,snapshot=on
  printf '%s\n' -no-reboot -nic none
}

# suite_options ROOT [MORE]: a machine that runs suites, with ports for its report, for its result and for the word to
# begin. The monitor is a pipe, mon.in.
suite_options() {
  local port
  machine_options
  disk_options "$@"
  printf '%s\n' -no-reboot -nic none -serial "file:$WORK/console" -device virtio-serial
  for port in report result; do
    printf '%s\n' -chardev "file,id=$port,path=$WORK/$port" -device "virtserialport,chardev=$port,name=$port"
  done
  printf '%s\n' -chardev "pipe,id=begin,path=$WORK/begin" -device virtserialport,chardev=begin,name=begin
  printf '%s\n' -chardev "pipe,id=mon,path=$WORK/mon" -mon chardev=mon,mode=readline
  printf '%s\n' -append "$(kernel_line vm.suite)"
}

# start_suite_machine OPTION…: starts it in $WORK.
start_suite_machine() {
  touch "$WORK/report" "$WORK/result"
  mkfifo "$WORK"/{begin,mon}.{in,out}
  "$VM_SCRIPTS/qemu.sh" "$EMULATOR_DIR" "$@" </dev/null >"$WORK/qemu" 2>&1 8>&- &
  MACHINE=$!
}

show_machine() {
  tail -n 40 "$WORK/console" 2>/dev/null | tr -dc '\11\12\40-\176' | sed 's/^/    /' >&2
  sed 's/^/    /' "$WORK/qemu" >&2
}

# --- a machine that has booted --------------------------------------------------------------------

# Booting takes an emulated processor longer than the quick tests do. So it is done once: the machine is saved where it
# waits for the word to begin, and every run goes on from there with a payload of its own.
saved_stamp() { { cat "$DISK_DIR/stamp"; WORK=. suite_options root; } | sha256sum | cut -d' ' -f1; }

boot_and_save() {
  local options began=$SECONDS
  mkdir -p "$SAVED_DIR.new"
  cp --sparse=always "$DISK_DIR/disk.img" "$SAVED_DIR.new/root.img"
  truncate -s "$PAYLOAD_SIZE" "$WORK/payload.img"
  mapfile -t options < <(suite_options "$SAVED_DIR.new/root.img")
  start_suite_machine "${options[@]}"
  until grep -q booted "$WORK/report"; do
    sleep 1
    kill -0 "$MACHINE" 2>/dev/null && [ $((SECONDS - began)) -lt "$TIMEOUT" ] || { show_machine; return 1; }
  done
  printf 'stop\nmigrate file:%s\nquit\n' "$SAVED_DIR.new/state" >"$WORK/mon.in"
  wait "$MACHINE"
  rm -f "$WORK/payload.img" "$WORK"/{begin,mon}.{in,out} "$WORK/report"
  saved_stamp >"$SAVED_DIR.new/stamp"
}

is_saved() { [ "$(cat "$SAVED_DIR/stamp" 2>/dev/null)" = "$(saved_stamp)" ]; }

# Any number of runs go on from it at once; who saves it waits until they have ended.
save_machine() {
  SAVED_DIR=$HOST_DIR/vm/saved-$([ "${VM_COUNTED:-0}" = 0 ] && echo timed || echo counted)
  exec 9>"$SAVED_DIR.lock"
  flock -s 9
  ! is_saved || return 0
  flock 9
  if ! is_saved; then
    rm -rf "$SAVED_DIR" "$SAVED_DIR.new"
    step "booting the machine, once (half a minute on a quiet host)" boot_and_save
    mv "$SAVED_DIR.new" "$SAVED_DIR"
  fi
  flock -s 9
}

# Huge pages, so that there are some to give away. Page tables that are switched at every system call, and a clock that
# has to be read from a device, are what an emulated processor spends most of its time on: neither is wanted here.
kernel_line() {
  echo "root=/dev/vda rw console=ttyS0 quiet psi=1 hugepages=32 mitigations=off tsc=reliable audit=0 $*"
}

# end_machine: nothing of it is worth a clean end.
end_machine() {
  local pid
  for pid in ${MACHINE:-} ${FOLLOWER:-}; do
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  save_results || true
  rm -rf "$WORK"
}

# For scripts that source this one: what the machine wrote is still in $WORK.
save_results() { :; }

# follow_report FILE PID: prints what is added to the file until the process ends or the time is up.
follow_report() {
  timeout "$TIMEOUT" tail -n +1 -f --pid="$2" "$1" &
  FOLLOWER=$!
  # Not in the foreground: the shell would obey a signal only after its end.
  wait "$FOLLOWER" || say "the time is up"
}

# It was saved while it stood still, and is to go on once it has been read back; asked before that, it would not. It
# says something when it runs.
resume() {
  echo cont >"$WORK/mon.in"
  sleep 1
  [ -s "$WORK/report" ]
}

run_test() {
  local options result
  mapfile -t options < <(suite_options "$SAVED_DIR/root.img" ,snapshot=on)
  start_suite_machine "${options[@]}" -incoming "file:$SAVED_DIR/state"
  date +%s >"$WORK/begin.in"
  wait_until 300 resume || { show_machine; return 1; }
  say "the machine runs, and has $TIMEOUT s"
  follow_report "$WORK/report" "$MACHINE"
  kill -KILL "$MACHINE" 2>/dev/null || true
  result=$(tr -dc 0-9 <"$WORK/result")
  [ -z "$result" ] || return "$result"
  say "the machine ended without a result; the end of its console:"
  show_machine
  return 1
}

run_shell() {
  local options
  mapfile -t options < <(one_boot_options "$DISK_DIR/disk.img")
  "$VM_SCRIPTS/qemu.sh" "$EMULATOR_DIR" "${options[@]}" -serial mon:stdio \
    -append "$(kernel_line systemd.wants=payload.mount)"
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

# The same suites, with the disk booted in namespaces of this host: for what needs systemd and no other kernel.
run_test_in_namespaces() {
  local inside
  write_plan 2 >"$WORK/payload/plan"
  mkdir "$WORK/payload/ports"
  touch "$WORK/payload/ports/report"
  "$VM_SCRIPTS/namespaces.sh" "$DISK_DIR/disk.img" "$WORK/payload" "$WORK" >"$WORK/console" 2>&1 8>&- &
  MACHINE=$!
  wait_until 120 test -s "$WORK/init" || { show_machine; return 1; }
  inside=(nsenter --target "$(cat "$WORK/init")" --mount --uts --ipc --net --pid --cgroup --)
  wait_until 120 "${inside[@]}" systemctl is-active --quiet dbus.service systemd-logind.service
  say "the system runs, and has $TIMEOUT s"
  "${inside[@]}" systemd-run --quiet --collect --wait --property=KillMode=process --property=TasksMax=infinity \
    --property=OOMPolicy=continue --setenv=PORTS=/payload/ports /bin/bash /payload/tree/test/vm/guest/run-suites.sh &
  follow_report "$WORK/payload/ports/report" $!
  return "$(cat "$WORK/payload/ports/result" 2>/dev/null || echo 1)"
}

# The same tests, with the disk booted in namespaces of this host. They get a network namespace too: what listens on
# its loopback is to be found at 10.0.2.2 by the machine, as with QEMU. What the machine writes goes to a file system of
# its own, so that a power cut loses what one loses with QEMU.
run_drive_in_namespaces() {
  mkdir "$WORK/content"
  mv "$WORK/payload" "$WORK/content/payload"
  mkfs.ext4 -q -F -d "$WORK/content" "$WORK/payload.img" "$PAYLOAD_SIZE"
  rm -rf "$WORK/content"
  VM_KIND=namespaces VM_LINK=1 VM_DIR=$WORK VM_NAMESPACES=$VM_SCRIPTS/namespaces.sh VM_DISK=$DISK_DIR/disk.img \
    VM_PAYLOAD=$WORK/payload.img timeout "$TIMEOUT" setpriv --pdeathsig KILL unshare --net bash -euc '
      ip link set lo up
      echo 1 >/proc/sys/net/ipv4/conf/all/route_localnet
      iptables -t nat -A PREROUTING -d 10.0.2.2 -p tcp -j DNAT --to-destination 127.0.0.1
      exec "$@"' bash "$(node_program)" --disable-warning=ExperimentalWarning --test --test-reporter=spec \
    --test-concurrency=1 "${FILES[@]}" &
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

# prepare TARGET: what every machine needs, and a directory of this run's own, which is removed at its end.
prepare() {
  require_root "$1"
  "$HOST_SCRIPTS/install.sh" 2.1
  "$HOST_SCRIPTS/images.sh"
  "$HOST_SCRIPTS/runc.sh" || true
  [ "$KIND" = namespaces ] || EMULATOR_DIR=$("$VM_SCRIPTS/emulator.sh")
  DISK_DIR=$("$VM_SCRIPTS/root-disk.sh")
  remove_stale
  WORK=$(mktemp -d "$HOST_DIR/vm/run-XXXXXX")
  exec 8>"$WORK/lock"
  flock 8
  trap end_machine EXIT
  trap 'exit 130' INT TERM
}

# run_in_machine COMMAND: test, shell or drive, in a machine of that kind.
run_in_machine() {
  case $KIND-$1 in
    namespaces-test | namespaces-drive)
      step "copying what it needs" fill_payload
      "run_$1_in_namespaces"
      return
      ;;
    *-test) save_machine ;;
  esac
  step "making the payload disk" make_payload
  "run_$1"
}

KIND=${VM_KIND:-emulated}
# Other scripts source this one for its machine; nothing is run then.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
COMMAND=${1:-}
[[ $COMMAND =~ ^(test|shell|drive)$ ]] || { sed -n '/^# usage/,/^# drive/s/^# \?//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
shift
FILES=("$@")
[ $# -gt 0 ] || mapfile -t FILES < <(grep -v '^#' "$VM_SCRIPTS/suites.txt")
prepare "vm-$COMMAND"
run_in_machine "$COMMAND"
