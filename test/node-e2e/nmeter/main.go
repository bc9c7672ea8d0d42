// Stands in for busybox's nmeter, which Debian's busybox lacks, in the one way that upstream's tests of a container's
// life call it: `nmeter -d0 '%3t'` prints one line, the time of day in UTC to the millisecond.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "-d0" || os.Args[2] != "%3t" {
		fmt.Fprintln(os.Stderr, "usage: nmeter -d0 %3t")
		os.Exit(2)
	}
	fmt.Println(time.Now().UTC().Format("15:04:05.000"))
}
