package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const deviceSize = 16 << 20

// node keeps nothing in memory: a driver that was killed goes on where the last one was.
type node struct {
	csi.UnimplementedNodeServer
	// Calls for different volumes could overlap; for a test one at a time is enough.
	turn sync.Mutex
}

func (*node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	topology := &csi.Topology{Segments: map[string]string{"topology." + *name + "/node": *nodeID}}
	return &csi.NodeGetInfoResponse{NodeId: *nodeID, MaxVolumesPerNode: 16, AccessibleTopology: topology}, nil
}

func (*node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	answer := &csi.NodeGetCapabilitiesResponse{}
	for _, kind := range []csi.NodeServiceCapability_RPC_Type{
		csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME,
		csi.NodeServiceCapability_RPC_GET_VOLUME_STATS,
		csi.NodeServiceCapability_RPC_EXPAND_VOLUME,
		csi.NodeServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER,
	} {
		rpc := &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{Type: kind}}
		answer.Capabilities = append(answer.Capabilities, &csi.NodeServiceCapability{Type: rpc})
	}
	return answer, nil
}

func (n *node) NodeStageVolume(_ context.Context, request *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	capability, place := request.GetVolumeCapability(), request.GetStagingTargetPath()
	if request.GetVolumeId() == "" || place == "" || capability == nil {
		return nil, status.Error(codes.InvalidArgument, "volume, staging path and capability are needed")
	}
	if capability.GetBlock() != nil {
		if _, err := attach(request.GetVolumeId()); err != nil {
			return nil, failed(err)
		}
		return &csi.NodeStageVolumeResponse{}, nil
	}
	if err := bindDirectory(volumeDirectory(request.GetVolumeId()), place, false); err != nil {
		return nil, failed(err)
	}
	return &csi.NodeStageVolumeResponse{}, nil
}

func (n *node) NodeUnstageVolume(_ context.Context, request *csi.NodeUnstageVolumeRequest) (*csi.NodeUnstageVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	if request.GetVolumeId() == "" || request.GetStagingTargetPath() == "" {
		return nil, status.Error(codes.InvalidArgument, "volume and staging path are needed")
	}
	if err := unmount(request.GetStagingTargetPath()); err != nil {
		return nil, failed(err)
	}
	if err := detach(request.GetVolumeId()); err != nil {
		return nil, failed(err)
	}
	return &csi.NodeUnstageVolumeResponse{}, nil
}

func (n *node) NodePublishVolume(_ context.Context, request *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	id, target, capability := request.GetVolumeId(), request.GetTargetPath(), request.GetVolumeCapability()
	if id == "" || target == "" || capability == nil {
		return nil, status.Error(codes.InvalidArgument, "volume, target path and capability are needed")
	}
	if capability.GetBlock() != nil {
		if err := publishDevice(id, target); err != nil {
			return nil, failed(err)
		}
		return &csi.NodePublishVolumeResponse{}, nil
	}
	source := request.GetStagingTargetPath()
	if source == "" {
		source = volumeDirectory(id)
	} else if !isMounted(source) {
		return nil, status.Error(codes.FailedPrecondition, "the volume is not staged")
	}
	if err := bindDirectory(source, target, request.GetReadonly()); err != nil {
		return nil, failed(err)
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (n *node) NodeUnpublishVolume(_ context.Context, request *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	id, target := request.GetVolumeId(), request.GetTargetPath()
	if id == "" || target == "" {
		return nil, status.Error(codes.InvalidArgument, "volume and target path are needed")
	}
	if err := unmount(target); err != nil {
		return nil, failed(err)
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, failed(err)
	}
	// A volume of one pod ends with it.
	if strings.HasPrefix(id, "csi-") {
		if err := os.RemoveAll(volumeDirectory(id)); err != nil {
			return nil, failed(err)
		}
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

func (n *node) NodeGetVolumeStats(_ context.Context, request *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	var facts unix.Statfs_t
	if err := unix.Statfs(request.GetVolumePath(), &facts); err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	size := facts.Bsize
	return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{
		{
			Unit:      csi.VolumeUsage_BYTES,
			Total:     int64(facts.Blocks) * size,
			Available: int64(facts.Bavail) * size,
			Used:      int64(facts.Blocks-facts.Bfree) * size,
		},
		{
			Unit:      csi.VolumeUsage_INODES,
			Total:     int64(facts.Files),
			Available: int64(facts.Ffree),
			Used:      int64(facts.Files - facts.Ffree),
		},
	}}, nil
}

// NodeExpandVolume has nothing to do for directories: they are as large as the disk they are on.
func (n *node) NodeExpandVolume(_ context.Context, request *csi.NodeExpandVolumeRequest) (*csi.NodeExpandVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	size := request.GetCapacityRange().GetRequiredBytes()
	if request.GetVolumeCapability().GetBlock() != nil {
		if err := growDevice(request.GetVolumeId(), size); err != nil {
			return nil, failed(err)
		}
	}
	return &csi.NodeExpandVolumeResponse{CapacityBytes: size}, nil
}

func volumeDirectory(id string) string { return filepath.Join(*state, filepath.Base(id)) }
func deviceFile(id string) string      { return volumeDirectory(id) + ".img" }

func failed(err error) error { return status.Error(codes.Internal, err.Error()) }

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

func publishDevice(id, target string) error {
	device, err := attach(id)
	if err != nil {
		return err
	}
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

// attach gives the volume a loop device, or finds the one it has.
func attach(id string) (string, error) {
	file := deviceFile(id)
	if device := deviceOf(file); device != "" {
		return device, nil
	}
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return "", err
		}
		if err := os.Truncate(file, deviceSize); err != nil {
			return "", err
		}
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

func growDevice(id string, size int64) error {
	if err := os.Truncate(deviceFile(id), size); err != nil {
		return err
	}
	if device := deviceOf(deviceFile(id)); device != "" {
		return exec.Command("losetup", "--set-capacity", device).Run()
	}
	return nil
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
