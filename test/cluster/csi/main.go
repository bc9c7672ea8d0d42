// A storage driver for tests: volumes are directories, or files behind loop devices, of this host. It speaks
// the official Go bindings of the protocols and passes csi-sanity, so it is the counterpart that a real driver
// is: identity, controller and node service and the registration that the kubelet's plugin watcher asks for, in
// one process. Every call of the node service is written to a file, one JSON object per line, without secrets.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

var (
	name     = flag.String("name", "directory.csi.kubelet-ts.dev", "name of the driver")
	nodeID   = flag.String("node-id", "", "what the driver calls this node")
	endpoint = flag.String("socket", "", "socket of the driver's own services")
	registry = flag.String("registration-socket", "", "socket in the kubelet's plugins_registry; without it no kubelet finds the driver")
	state    = flag.String("state", "", "directory of the volumes")
	calls    = flag.String("calls", "", "file that gets one line for each call")
)

func main() {
	flag.Parse()
	for _, dir := range []string{*state, filepath.Dir(*endpoint), filepath.Dir(*registry)} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			log.Fatal(err)
		}
	}
	record, err := os.OpenFile(*calls, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		log.Fatal(err)
	}
	services := grpc.NewServer(grpc.UnaryInterceptor(recordCalls(record)))
	shared := &turns{}
	csi.RegisterIdentityServer(services, &identity{})
	csi.RegisterControllerServer(services, &controller{turns: shared})
	csi.RegisterNodeServer(services, &node{turns: shared})
	serve(services, *endpoint)
	announcement := grpc.NewServer()
	registration.RegisterRegistrationServer(announcement, &announcer{})
	// The kubelet finds the driver by this socket: it comes last.
	if *registry != "" {
		serve(announcement, *registry)
	}

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)
	<-stop
	announcement.Stop()
	services.Stop()
	for _, socket := range []string{*registry, *endpoint} {
		os.Remove(socket)
	}
}

func serve(server *grpc.Server, socket string) {
	// One that a killed driver left.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		if err := server.Serve(listener); err != nil {
			log.Fatal(err)
		}
	}()
}

// recordCalls notes calls of the node service and how they ended.
func recordCalls(record *os.File) grpc.UnaryServerInterceptor {
	var writing sync.Mutex
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		answer, err := next(ctx, request)
		method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
		if strings.Contains(info.FullMethod, "csi.v1.Node") {
			line := map[string]any{"method": method, "request": json.RawMessage(withoutSecrets(request.(proto.Message)))}
			if err != nil {
				line["error"] = err.Error()
			}
			text, _ := json.Marshal(line)
			writing.Lock()
			record.Write(append(text, '\n'))
			writing.Unlock()
		}
		return answer, err
	}
}

func withoutSecrets(message proto.Message) []byte {
	shown := proto.Clone(message)
	if field := shown.ProtoReflect().Descriptor().Fields().ByName("secrets"); field != nil {
		shown.ProtoReflect().Clear(field)
	}
	text, err := protojson.Marshal(shown)
	if err != nil {
		return []byte(`{}`)
	}
	return text
}

type announcer struct {
	registration.UnimplementedRegistrationServer
}

func (*announcer) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type:              registration.CSIPlugin,
		Name:              *name,
		Endpoint:          *endpoint,
		SupportedVersions: []string{"1.0.0"},
	}, nil
}

func (*announcer) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("registered: %t %s", status.PluginRegistered, status.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

type identity struct {
	csi.UnimplementedIdentityServer
}

func (*identity) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: *name, VendorVersion: "1"}, nil
}

func (*identity) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	answer := &csi.GetPluginCapabilitiesResponse{}
	for _, kind := range []csi.PluginCapability_Service_Type{
		csi.PluginCapability_Service_CONTROLLER_SERVICE,
		csi.PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS,
	} {
		service := &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{Type: kind}}
		answer.Capabilities = append(answer.Capabilities, &csi.PluginCapability{Type: service})
	}
	grows := &csi.PluginCapability_VolumeExpansion{Type: csi.PluginCapability_VolumeExpansion_ONLINE}
	expansion := &csi.PluginCapability_VolumeExpansion_{VolumeExpansion: grows}
	answer.Capabilities = append(answer.Capabilities, &csi.PluginCapability{Type: expansion})
	return answer, nil
}

func (*identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil
}
