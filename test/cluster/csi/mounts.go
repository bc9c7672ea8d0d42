package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func bindDirectory(source, target string, readOnly bool) error {
	for _, dir := range []string{source, target} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if isMounted(target) {
		return nil
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", target, err)
	}
	if !readOnly {
		return nil
	}
	return unix.Mount("", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func bindDevice(device, target string) error {
	file, err := os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o640)
	if err != nil {
		return err
	}
	file.Close()
	if isMounted(target) {
		return nil
	}
	return unix.Mount(device, target, "", unix.MS_BIND, "")
}

func unmount(target string) error {
	for isMounted(target) {
		if err := unix.Unmount(target, 0); err != nil {
			return fmt.Errorf("unmount %s: %w", target, err)
		}
	}
	return nil
}

// isMounted asks the kernel's table: the place is the fifth field of a line.
func isMounted(place string) bool {
	real, err := filepath.EvalSymlinks(place)
	if err != nil {
		return false
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	for _, line := range strings.Split(string(table), "\n") {
		if fields := strings.Fields(line); len(fields) > 4 && fields[4] == real {
			return true
		}
	}
	return false
}
