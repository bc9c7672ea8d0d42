// Runs the resource managers of the upstream kubelet on a machine that is given as data: what they assign to pods is
// what ours is compared with. Reads cases from standard input, one JSON document a line, and answers each with one.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	cadvisorapi "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/utils/cpuset"
)

type settings struct {
	Machine  cadvisorapi.MachineInfo `json:"machine"`
	Topology struct {
		Policy  string            `json:"policy"`
		Scope   string            `json:"scope"`
		Options map[string]string `json:"options"`
	} `json:"topology"`
	CPU struct {
		Policy       string            `json:"policy"`
		Options      map[string]string `json:"options"`
		ReservedCPUs string            `json:"reservedCpus"`
	} `json:"cpu"`
	Memory struct {
		Policy   string                            `json:"policy"`
		Reserved []kubeletconfig.MemoryReservation `json:"reserved"`
	} `json:"memory"`
	Reservation v1.ResourceList `json:"reservation"`
	Steps       []step          `json:"steps"`
}

// One of the two: a pod that comes, or the UID of one that has ended.
type step struct {
	Add    *v1.Pod `json:"add"`
	Remove string  `json:"remove"`
}

type outcome struct {
	Admit   bool            `json:"admit"`
	Reason  string          `json:"reason"`
	Message string          `json:"message"`
	CPU     json.RawMessage `json:"cpu"`
	Memory  json.RawMessage `json:"memory"`
}

type answer struct {
	Problem  string    `json:"problem"`
	Outcomes []outcome `json:"outcomes"`
}

// The parts of a kubelet that the managers ask; nothing ever runs here.
type kubelet struct{ pods []*v1.Pod }

func (k *kubelet) activePods() []*v1.Pod                       { return k.pods }
func (k *kubelet) AddSource(string)                            {}
func (k *kubelet) AllReady() bool                              { return true }
func (k *kubelet) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }
func (k *kubelet) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return nil
}

type managers struct {
	kubelet  *kubelet
	topology topologymanager.Manager
	cpu      cpumanager.Manager
	memory   memorymanager.Manager
	dir      string
}

func newManagers(ctx context.Context, s *settings, dir string) (*managers, error) {
	logger := klog.FromContext(ctx)
	topology, err := topologymanager.NewManager(s.Machine.Topology, s.Topology.Policy, s.Topology.Scope, s.Topology.Options)
	if err != nil {
		return nil, err
	}
	reserved, err := cpuset.Parse(s.CPU.ReservedCPUs)
	if err != nil {
		return nil, err
	}
	cpu, err := cpumanager.NewManager(logger, s.CPU.Policy, s.CPU.Options, time.Hour, &s.Machine, reserved, s.Reservation, dir, topology)
	if err != nil {
		return nil, err
	}
	memory, err := memorymanager.NewManager(logger, s.Memory.Policy, &s.Machine, s.Reservation, s.Memory.Reserved, dir, topology)
	if err != nil {
		return nil, err
	}
	topology.AddHintProvider(logger, cpu)
	topology.AddHintProvider(logger, memory)
	k := &kubelet{}
	if err := cpu.Start(ctx, k.activePods, k, k, k, containermap.NewContainerMap()); err != nil {
		return nil, err
	}
	if err := memory.Start(ctx, k.activePods, k, k, k, containermap.NewContainerMap()); err != nil {
		return nil, err
	}
	return &managers{k, topology, cpu, memory, dir}, nil
}

func (m *managers) perform(s step) (outcome, error) {
	result := lifecycle.PodAdmitResult{Admit: true}
	if s.Add != nil {
		m.kubelet.pods = append(m.kubelet.pods, s.Add)
		result = m.topology.Admit(&lifecycle.PodAdmitAttributes{Pod: s.Add})
		if !result.Admit {
			m.remove(s.Add.UID)
		}
	} else {
		m.remove(types.UID(s.Remove))
	}
	// Asking for hints takes back what pods have that are no longer active.
	idle := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "idle"}}}}
	m.cpu.GetTopologyHints(idle, &idle.Spec.Containers[0])
	m.memory.GetTopologyHints(idle, &idle.Spec.Containers[0])
	cpu, err := os.ReadFile(filepath.Join(m.dir, "cpu_manager_state"))
	if err != nil {
		return outcome{}, err
	}
	memory, err := os.ReadFile(filepath.Join(m.dir, "memory_manager_state"))
	if err != nil {
		return outcome{}, err
	}
	return outcome{result.Admit, result.Reason, result.Message, cpu, memory}, nil
}

func (m *managers) remove(uid types.UID) {
	var kept []*v1.Pod
	for _, pod := range m.kubelet.pods {
		if pod.UID != uid {
			kept = append(kept, pod)
		}
	}
	m.kubelet.pods = kept
}

func run(line []byte) (answer, error) {
	var s settings
	if err := json.Unmarshal(line, &s); err != nil {
		return answer{}, err
	}
	dir, err := os.MkdirTemp("", "resource-oracle-")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m, err := newManagers(ctx, &s, dir)
	if err != nil {
		return answer{Problem: err.Error()}, nil
	}
	var result answer
	for _, one := range s.Steps {
		outcome, err := m.perform(one)
		if err != nil {
			return answer{}, err
		}
		result.Outcomes = append(result.Outcomes, outcome)
	}
	return result, nil
}

func main() {
	klog.SetLogger(logr.Discard())
	if err := utilfeature.DefaultMutableFeatureGate.Set("CPUManagerPolicyAlphaOptions=true"); err != nil {
		fail(err)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			fail(err)
		}
		result, err := run(line)
		if err != nil {
			fail(err)
		}
		if err := out.Encode(result); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
