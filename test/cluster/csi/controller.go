package main

import (
	"context"
	"strconv"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const maxNameLength = 128

// controller makes, grows and removes volumes; with it the driver can be checked by the suite that all drivers
// are checked with. In the cluster nobody calls it: there the tests write volumes down themselves.
type controller struct {
	csi.UnimplementedControllerServer
	*turns
}

func (*controller) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	answer := &csi.ControllerGetCapabilitiesResponse{}
	for _, kind := range []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME,
		csi.ControllerServiceCapability_RPC_PUBLISH_READONLY,
		csi.ControllerServiceCapability_RPC_LIST_VOLUMES,
		csi.ControllerServiceCapability_RPC_GET_CAPACITY,
		csi.ControllerServiceCapability_RPC_EXPAND_VOLUME,
		csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER,
	} {
		rpc := &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: kind}}
		answer.Capabilities = append(answer.Capabilities, &csi.ControllerServiceCapability{Type: rpc})
	}
	return answer, nil
}

func (c *controller) CreateVolume(_ context.Context, request *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	name := request.GetName()
	if name == "" || len(name) > maxNameLength || len(request.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a name and capabilities are needed")
	}
	size, limit := request.GetCapacityRange().GetRequiredBytes(), request.GetCapacityRange().GetLimitBytes()
	if size == 0 {
		size = defaultSize
	}
	if limit > 0 && size > limit {
		return nil, status.Error(codes.OutOfRange, "no size is that small")
	}
	found, err := read(idOf(name))
	if err != nil {
		return nil, failed(err)
	}
	if found != nil && (found.Capacity < size || limit > 0 && found.Capacity > limit) {
		return nil, status.Error(codes.AlreadyExists, "there is one of that name, of another size")
	}
	if found == nil {
		found = &volume{ID: idOf(name), Name: name, Capacity: size}
		if err := found.write(); err != nil {
			return nil, failed(err)
		}
	}
	return &csi.CreateVolumeResponse{Volume: render(found)}, nil
}

func (c *controller) DeleteVolume(_ context.Context, request *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	if request.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "a volume is needed")
	}
	if err := remove(request.GetVolumeId()); err != nil {
		return nil, failed(err)
	}
	return &csi.DeleteVolumeResponse{}, nil
}

// ControllerPublishVolume attaches: all there is to it is the record.
func (c *controller) ControllerPublishVolume(_ context.Context, request *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	id, at := request.GetVolumeId(), request.GetNodeId()
	if id == "" || at == "" || request.GetVolumeCapability() == nil {
		return nil, status.Error(codes.InvalidArgument, "volume, node and capability are needed")
	}
	found, err := find(id)
	if err != nil {
		return nil, err
	}
	if at != *nodeID {
		return nil, status.Error(codes.NotFound, "there is no such node")
	}
	wanted := &attachment{ReadOnly: request.GetReadonly()}
	if found.Attached != nil && *found.Attached != *wanted {
		return nil, status.Error(codes.AlreadyExists, "it is attached in another way")
	}
	full, err := isFull(found)
	if err != nil {
		return nil, failed(err)
	}
	if full {
		return nil, status.Error(codes.ResourceExhausted, "the node has as many volumes as it can have")
	}
	found.Attached = wanted
	if err := found.write(); err != nil {
		return nil, failed(err)
	}
	return &csi.ControllerPublishVolumeResponse{PublishContext: map[string]string{"volume": id}}, nil
}

func (c *controller) ControllerUnpublishVolume(_ context.Context, request *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	if request.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "a volume is needed")
	}
	found, err := read(request.GetVolumeId())
	if err == nil && found != nil {
		found.Attached = nil
		err = found.write()
	}
	if err != nil {
		return nil, failed(err)
	}
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

// isFull tells whether the node has no room for one more.
func isFull(one *volume) (bool, error) {
	all, err := list()
	count := 0
	for _, other := range all {
		if other.ID != one.ID && other.Attached != nil {
			count++
		}
	}
	return count >= maxVolumes, err
}

func (c *controller) ValidateVolumeCapabilities(_ context.Context, request *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if request.GetVolumeId() == "" || len(request.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a volume and capabilities are needed")
	}
	if _, err := find(request.GetVolumeId()); err != nil {
		return nil, err
	}
	return &csi.ValidateVolumeCapabilitiesResponse{
		Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
			VolumeContext:      request.GetVolumeContext(),
			VolumeCapabilities: request.GetVolumeCapabilities(),
			Parameters:         request.GetParameters(),
		},
	}, nil
}

func (c *controller) ListVolumes(_ context.Context, request *csi.ListVolumesRequest) (*csi.ListVolumesResponse, error) {
	all, err := list()
	if err != nil {
		return nil, failed(err)
	}
	start := 0
	if token := request.GetStartingToken(); token != "" {
		if start, err = strconv.Atoi(token); err != nil || start < 0 || start > len(all) {
			return nil, status.Error(codes.Aborted, "no such token")
		}
	}
	end := len(all)
	if most := int(request.GetMaxEntries()); most > 0 && start+most < end {
		end = start + most
	}
	answer := &csi.ListVolumesResponse{}
	for _, one := range all[start:end] {
		answer.Entries = append(answer.Entries, &csi.ListVolumesResponse_Entry{Volume: render(one)})
	}
	if end < len(all) {
		answer.NextToken = strconv.Itoa(end)
	}
	return answer, nil
}

func (*controller) GetCapacity(context.Context, *csi.GetCapacityRequest) (*csi.GetCapacityResponse, error) {
	var facts unix.Statfs_t
	if err := unix.Statfs(*state, &facts); err != nil {
		return nil, failed(err)
	}
	return &csi.GetCapacityResponse{AvailableCapacity: int64(facts.Bavail) * facts.Bsize}, nil
}

func (c *controller) ControllerExpandVolume(_ context.Context, request *csi.ControllerExpandVolumeRequest) (*csi.ControllerExpandVolumeResponse, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	size := request.GetCapacityRange().GetRequiredBytes()
	if request.GetVolumeId() == "" || size == 0 {
		return nil, status.Error(codes.InvalidArgument, "a volume and a size are needed")
	}
	found, err := find(request.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if err := found.growTo(size); err != nil {
		return nil, failed(err)
	}
	return &csi.ControllerExpandVolumeResponse{CapacityBytes: found.Capacity, NodeExpansionRequired: true}, nil
}

// find answers for a volume that does not exist.
func find(id string) (*volume, error) {
	found, err := read(id)
	if err != nil {
		return nil, failed(err)
	}
	if found == nil {
		return nil, status.Error(codes.NotFound, "there is no such volume")
	}
	return found, nil
}

func render(v *volume) *csi.Volume {
	return &csi.Volume{VolumeId: v.ID, CapacityBytes: v.Capacity, AccessibleTopology: []*csi.Topology{topology()}}
}
