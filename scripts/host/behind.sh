#!/usr/bin/env bash
# Runs a command behind the back of all others: it gets the processor and the disk when nothing else wants them.
# It is a session of its own, and the kernel shares the processor between sessions first: `nice` alone would only
# place it behind others of its own session.
#
# usage: behind.sh COMMAND [ARGUMENT]…
[ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] || exec setsid --wait "$0" "$@"
echo 19 2>/dev/null >/proc/$$/autogroup
exec nice -n 19 ionice -c 3 "$@"
