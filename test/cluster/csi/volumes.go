package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	defaultSize = 16 << 20
	maxVolumes  = 16
)

// volume is what is known of one; its content is a directory, a file behind a loop device, or both. Everything
// is on disk: a driver that was killed goes on where the last one was.
type volume struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Capacity int64  `json:"capacity"`
	// Where somebody attaches volumes to nodes; there is one node.
	Attached *attachment `json:"attached,omitempty"`
}

type attachment struct {
	ReadOnly bool `json:"readOnly"`
}

func volumeDirectory(id string) string { return filepath.Join(*state, filepath.Base(id)) }
func deviceFile(id string) string      { return volumeDirectory(id) + ".img" }
func recordFile(id string) string      { return volumeDirectory(id) + ".json" }

// troubleFile makes trouble while it is there; what it says is told to users. Tests write it.
func troubleFile(id, kind string) string { return volumeDirectory(id) + "." + kind }

func idOf(name string) string { return fmt.Sprintf("vol-%x", sha256.Sum256([]byte(name)))[:36] }

// read returns nil for a volume that does not exist.
func read(id string) (*volume, error) {
	text, err := os.ReadFile(recordFile(id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := &volume{}
	return found, json.Unmarshal(text, found)
}

func (v *volume) write() error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	next := recordFile(v.ID) + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, recordFile(v.ID))
}

// readOrMake also serves volumes that nobody created: those of pods, and those an administrator wrote down.
func readOrMake(id string) (*volume, error) {
	found, err := read(id)
	if found != nil || err != nil {
		return found, err
	}
	made := &volume{ID: id, Name: id, Capacity: defaultSize}
	return made, made.write()
}

func list() ([]*volume, error) {
	files, err := filepath.Glob(filepath.Join(*state, "*.json"))
	if err != nil {
		return nil, err
	}
	var found []*volume
	for _, file := range files {
		one, err := read(strings.TrimSuffix(filepath.Base(file), ".json"))
		if err != nil {
			return nil, err
		}
		if one != nil {
			found = append(found, one)
		}
	}
	return found, nil
}

// remove takes the record last: it tells that there is something to remove.
func remove(id string) error {
	if err := detach(id); err != nil {
		return err
	}
	for _, path := range []string{volumeDirectory(id), deviceFile(id), recordFile(id)} {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// use counts what a directory holds, like du.
func use(directory string) (bytes, inodes int64, err error) {
	err = filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var facts unix.Stat_t
		if err := unix.Lstat(path, &facts); err != nil {
			return err
		}
		bytes += facts.Blocks * 512
		inodes++
		return nil
	})
	return bytes, inodes, err
}

// attach gives the volume a loop device, or finds the one it has.
func attach(v *volume) (string, error) {
	file := deviceFile(v.ID)
	if device := deviceOf(file); device != "" {
		return device, nil
	}
	if err := setFileSize(file, v.Capacity); err != nil {
		return "", err
	}
	output, err := exec.Command("losetup", "--find", "--show", file).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("losetup: %w: %s", err, output)
	}
	return strings.TrimSpace(string(output)), nil
}

func detach(id string) error {
	device := deviceOf(deviceFile(id))
	if device == "" {
		return nil
	}
	if output, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
		return fmt.Errorf("losetup: %w: %s", err, output)
	}
	return nil
}

// growTo also makes the device larger, if the volume has one now. A volume never becomes smaller.
func (v *volume) growTo(size int64) error {
	if size > v.Capacity {
		v.Capacity = size
		if err := v.write(); err != nil {
			return err
		}
	}
	device := deviceOf(deviceFile(v.ID))
	if device == "" {
		return nil
	}
	if err := setFileSize(deviceFile(v.ID), v.Capacity); err != nil {
		return err
	}
	if output, err := exec.Command("losetup", "--set-capacity", device).CombinedOutput(); err != nil {
		return fmt.Errorf("losetup: %w: %s", err, output)
	}
	return nil
}

// setFileSize never makes a file smaller.
func setFileSize(path string, size int64) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if facts, err := file.Stat(); err != nil || facts.Size() >= size {
		return err
	}
	return file.Truncate(size)
}

func deviceOf(file string) string {
	backings, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, backing := range backings {
		text, err := os.ReadFile(backing)
		if err == nil && strings.TrimSpace(string(text)) == file {
			return "/dev/" + strings.Split(backing, "/")[3]
		}
	}
	return ""
}
