/** The process itself, by the names every exporter has. Read from the kernel at every scrape. */
import { readdirSync, readFileSync } from 'node:fs';
import { Counter, Gauge, type MetricRegistry } from '../../base/metric-registry.ts';

const stability = 'NONE';

/** Each path of metrics has it, not all with the same promise. */
export function addStartTime(registry: MetricRegistry, stability: 'NONE' | 'ALPHA'): void {
  const help = 'Start time of the process since unix epoch in seconds.';
  const gauge = new Gauge({ name: 'process_start_time_seconds', help, stability });
  registry.add(gauge).set(performance.timeOrigin / 1000);
}

export function addProcess(registry: MetricRegistry): void {
  const gauge = (name: string, help: string): Gauge =>
    registry.add(new Gauge({ name: `process_${name}`, help, stability }));
  const rising = (name: string, help: string): ((total: number) => void) => {
    const counter = registry.add(new Counter({ name: `process_${name}`, help, stability }));
    let counted = 0;
    return (total) => {
      counter.add(Math.max(0, total - counted));
      counted = total;
    };
  };
  const cpu = rising('cpu_seconds_total', 'Total user and system CPU time spent in seconds.');
  const received = rising(
    'network_receive_bytes_total',
    'Number of bytes received by the process over the network.',
  );
  const sent = rising(
    'network_transmit_bytes_total',
    'Number of bytes sent by the process over the network.',
  );
  const resident = gauge('resident_memory_bytes', 'Resident memory size in bytes.');
  const virtual = gauge('virtual_memory_bytes', 'Virtual memory size in bytes.');
  const files = gauge('open_fds', 'Number of open file descriptors.');
  const limits = readFileSync('/proc/self/limits', 'utf8');
  gauge('max_fds', 'Maximum number of open file descriptors.').set(readLimit(limits, 'Max open files'));
  gauge('virtual_memory_max_bytes', 'Maximum amount of virtual memory available in bytes.').set(
    readLimit(limits, 'Max address space'),
  );
  const heap = registry.add(
    new Gauge({ name: 'kubelet_agent_heap_used_bytes', help: 'JavaScript heap in use in bytes.' }),
  );
  registry.onRead(() => {
    const { user, system } = process.cpuUsage();
    cpu((user + system) / 1e6);
    const network = readNetworkBytes(readFileSync('/proc/self/net/netstat', 'utf8'));
    received(network.received);
    sent(network.sent);
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heap.set(memory.heapUsed);
    files.set(readdirSync('/proc/self/fd').length);
    virtual.set(readVirtualBytes(readFileSync('/proc/self/status', 'utf8')));
  });
}

/** The soft one, out of /proc/self/limits; none is the largest number there is. */
export function readLimit(limits: string, name: string): number {
  const [, soft = '0'] = new RegExp(`^${name} +(\\S+)`, 'm').exec(limits) ?? [];
  return soft === 'unlimited' ? 2 ** 64 : Number(soft);
}

/** Out of /proc/self/net/netstat: names in one line, values in the next. They are those of the network namespace. */
export function readNetworkBytes(netstat: string): { readonly received: number; readonly sent: number } {
  const [names = [], values = []] = netstat
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '));
  const read = (name: string): number => Number(values[names.indexOf(name)] ?? 0);
  return { received: read('InOctets'), sent: read('OutOctets') };
}

function readVirtualBytes(status: string): number {
  const [, kilobytes = '0'] = /^VmSize:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) * 1024;
}
