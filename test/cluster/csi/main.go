// A storage driver for tests: volumes are directories, or files behind loop devices, of this host. It speaks
// the official Go bindings of the protocols, so it is the counterpart that a real driver is: node service,
// identity and the registration that the kubelet's plugin watcher asks for, in one process. Every call of the
// node service is written to a file, one JSON object per line, without secrets.
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
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

var (
	name     = flag.String("name", "directory.csi.kubelet-ts.dev", "name of the driver")
	nodeID   = flag.String("node-id", "", "what the driver calls this node")
	endpoint = flag.String("socket", "", "socket of the driver's own services")
	registry = flag.String("registration-socket", "", "socket in the kubelet's plugins_registry")
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
	driver := &node{}
	csi.RegisterIdentityServer(services, &identity{})
	csi.RegisterNodeServer(services, driver)
	serve(services, *endpoint)
	// The kubelet finds the driver by this socket: it comes last.
	announcement := grpc.NewServer()
	registration.RegisterRegistrationServer(announcement, &announcer{})
	serve(announcement, *registry)

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)
	<-stop
	announcement.Stop()
	services.Stop()
	os.Remove(*registry)
	os.Remove(*endpoint)
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
			line := map[string]any{"method": method, "request": json.RawMessage(render(request.(proto.Message)))}
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

func render(message proto.Message) []byte {
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
	return &csi.GetPluginCapabilitiesResponse{}, nil
}

func (*identity) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}
