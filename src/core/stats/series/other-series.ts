/** Processes, networks, and when a cgroup was made and seen. */
import type { InterfaceDetails } from '../cgroup-details.ts';
import { gauge, type Series, setting, toLabelText } from './series.ts';

/** No health check of a runtime is looked at. */
const HEALTH_UNKNOWN = -1;

function perInterface(name: string, help: string, value: (found: InterfaceDetails) => number): Series {
  return {
    name: `container_network_${name}`,
    help,
    kind: 'counter',
    isTimed: true,
    put: ({ interfaces }, put) => {
      for (const found of interfaces) put(value(found), toLabelText('interface', found.name));
    },
  };
}

export const OTHER_SERIES: readonly Series[] = [
  gauge(
    'container_file_descriptors',
    'Number of open file descriptors for the container.',
    ({ details }) => details.tasks.descriptors,
  ),
  gauge('container_health_state', "The result of the container's health check", () => HEALTH_UNKNOWN),
  gauge('container_last_seen', 'Last time a container was seen by the exporter', ({ details }) =>
    Math.floor(details.atMs / 1000),
  ),
  perInterface('receive_bytes_total', 'Cumulative count of bytes received', ({ received }) => received.bytes),
  perInterface(
    'receive_errors_total',
    'Cumulative count of errors encountered while receiving',
    ({ received }) => received.errors,
  ),
  perInterface(
    'receive_packets_dropped_total',
    'Cumulative count of packets dropped while receiving',
    ({ received }) => received.dropped,
  ),
  perInterface(
    'receive_packets_total',
    'Cumulative count of packets received',
    ({ received }) => received.packets,
  ),
  perInterface('transmit_bytes_total', 'Cumulative count of bytes transmitted', ({ sent }) => sent.bytes),
  perInterface(
    'transmit_errors_total',
    'Cumulative count of errors encountered while transmitting',
    ({ sent }) => sent.errors,
  ),
  perInterface(
    'transmit_packets_dropped_total',
    'Cumulative count of packets dropped while transmitting',
    ({ sent }) => sent.dropped,
  ),
  perInterface(
    'transmit_packets_total',
    'Cumulative count of packets transmitted',
    ({ sent }) => sent.packets,
  ),
  gauge(
    'container_processes',
    'Number of processes running inside the container.',
    ({ details }) => details.tasks.processes,
  ),
  gauge(
    'container_sockets',
    'Number of open sockets for the container.',
    ({ details }) => details.tasks.sockets,
  ),
  setting(
    'container_start_time_seconds',
    'Start time of the container since unix epoch in seconds.',
    ({ startedAtMs }) => Math.floor(startedAtMs / 1000),
  ),
  gauge(
    'container_threads',
    'Number of threads running inside the container',
    ({ details }) => details.tasks.threads,
  ),
  gauge(
    'container_threads_max',
    'Maximum number of threads allowed inside the container, infinity if value is zero',
    ({ details }) => details.limits.tasks.threads,
  ),
  {
    name: 'container_ulimits_soft',
    help: 'Soft ulimit values for the container root process. Unlimited if -1, except priority and nice',
    kind: 'gauge',
    isTimed: true,
    put: ({ details }, put) => {
      const { openFiles } = details.limits.tasks;
      if (openFiles !== undefined) put(openFiles, 'ulimit="max_open_files"');
    },
  },
];
