#!/usr/bin/env bash
# Takes down everything that the scripts of this folder started or wrote: every containerd instance with its
# pods, mounts, bridge and firewall rules, every registry, and the state directory with its unpacked programs.
# Packages that were installed stay (they start nothing).    usage: clean.sh [--keep-programs]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$HOST_SCRIPTS/purge.sh"

[ -d "$HOST_DIR" ] || { say "nothing to clean: \"$HOST_DIR\" does not exist"; exit 0; }
# The directory is deleted with all it holds, so it must be one that these scripts made.
[ -d "$INSTANCES_DIR" ] && [ -d "$RUN_DIR" ] || die "\"$HOST_DIR\" does not look like a state directory of these scripts; remove it by hand"
require_root clean-host

for instance in $(instance_names); do
  step "removing instance $instance with its pods, mounts and network" purge_instance "$instance"
done
for registry in "$REGISTRIES_DIR"/*/; do
  [ ! -d "$registry" ] || "$HOST_SCRIPTS/registry.sh" down "$(basename "$registry")" --purge
done

[ -z "$(mounts_below "$HOST_DIR")" ] || die "there are still mounts below \"$HOST_DIR\": $(mounts_below "$HOST_DIR" | xargs)"
if [ "${1:-}" = --keep-programs ]; then
  rm -rf --one-file-system "$INSTANCES_DIR" "$REGISTRIES_DIR" "$RUN_DIR" "$HOST_DIR/apt"
else
  rm -rf --one-file-system "$HOST_DIR"
fi
say "the host is clean"
