package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// turns: calls for different volumes could overlap; for a test one at a time is enough.
type turns struct{ turn sync.Mutex }

type node struct {
	csi.UnimplementedNodeServer
	*turns
}

func (*node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: *nodeID, MaxVolumesPerNode: maxVolumes, AccessibleTopology: topology()}, nil
}

func topology() *csi.Topology {
	return &csi.Topology{Segments: map[string]string{"topology." + *name + "/node": *nodeID}}
}

func (*node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	answer := &csi.NodeGetCapabilitiesResponse{}
	for _, kind := range []csi.NodeServiceCapability_RPC_Type{
		csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME,
		csi.NodeServiceCapability_RPC_GET_VOLUME_STATS,
		csi.NodeServiceCapability_RPC_EXPAND_VOLUME,
		csi.NodeServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER,
		csi.NodeServiceCapability_RPC_VOLUME_CONDITION,
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
	found, err := readOrMake(request.GetVolumeId())
	if err != nil {
		return nil, failed(err)
	}
	if capability.GetBlock() != nil {
		_, err = attach(found)
	} else {
		err = bindDirectory(volumeDirectory(found.ID), place, false)
	}
	if err != nil {
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
	found, err := readOrMake(id)
	if err != nil {
		return nil, failed(err)
	}
	if capability.GetBlock() != nil {
		device, err := attach(found)
		if err == nil {
			err = bindDevice(device, target)
		}
		if err != nil {
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
		if err := remove(id); err != nil {
			return nil, failed(err)
		}
	}
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

// NodeGetVolumeStats waits for no turn: who asks it must not hold up the rest.
func (n *node) NodeGetVolumeStats(ctx context.Context, request *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	id, path := request.GetVolumeId(), request.GetVolumePath()
	if id == "" || path == "" {
		return nil, status.Error(codes.InvalidArgument, "volume and path are needed")
	}
	found, err := find(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(troubleFile(id, "hangs")); err == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var facts unix.Stat_t
	if err := unix.Stat(path, &facts); err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	condition := &csi.VolumeCondition{Message: "the volume is fine"}
	if text, err := os.ReadFile(troubleFile(id, "abnormal")); err == nil {
		condition = &csi.VolumeCondition{Abnormal: true, Message: string(text)}
	}
	bytes := &csi.VolumeUsage{Unit: csi.VolumeUsage_BYTES, Total: found.Capacity}
	answer := &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{bytes}, VolumeCondition: condition}
	if facts.Mode&unix.S_IFMT == unix.S_IFBLK {
		return answer, nil
	}
	used, inodes, err := use(path)
	if err != nil {
		return nil, failed(err)
	}
	bytes.Used, bytes.Available = used, max(0, found.Capacity-used)
	answer.Usage = append(answer.Usage, &csi.VolumeUsage{
		Unit: csi.VolumeUsage_INODES, Total: maxInodes, Used: inodes, Available: maxInodes - inodes,
	})
	return answer, nil
}

// maxInodes is as good as any: a directory has no limit of its own.
const maxInodes = 1 << 20

func (n *node) NodeExpandVolume(_ context.Context, request *csi.NodeExpandVolumeRequest) (*csi.NodeExpandVolumeResponse, error) {
	n.turn.Lock()
	defer n.turn.Unlock()
	if request.GetVolumeId() == "" || request.GetVolumePath() == "" {
		return nil, status.Error(codes.InvalidArgument, "volume and path are needed")
	}
	found, err := find(request.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if text, err := os.ReadFile(troubleFile(found.ID, "stays")); err == nil {
		return nil, status.Error(codes.Internal, string(text))
	}
	if err := found.growTo(request.GetCapacityRange().GetRequiredBytes()); err != nil {
		return nil, failed(err)
	}
	return &csi.NodeExpandVolumeResponse{CapacityBytes: found.Capacity}, nil
}

func failed(err error) error { return status.Error(codes.Internal, err.Error()) }
