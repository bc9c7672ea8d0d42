/**
 * File systems and disks. What a cgroup did with a disk comes from its own
 * counters; the machine shows its file systems, and for disks without a
 * counter of the root cgroup what the disk itself counts.
 */
import type { DeviceIo, DiskDetails, FileSystemDetails, IoCost, MeasuredCgroup } from '../cgroup-details.ts';
import { counter, type PutValue, type Series, toLabelText } from './series.ts';

const MS = 1e3;
const US = 1e6;

function perFileSystem(name: string, help: string, value: (fs: FileSystemDetails) => number): Series {
  const put = ({ fileSystems }: MeasuredCgroup, take: PutValue): void => {
    for (const fs of fileSystems) take(value(fs), toLabelText('device', fs.device));
  };
  return { name, help, kind: 'gauge', isTimed: true, put };
}

/** What the cgroup counts, and what the disk counts where the cgroup does not. */
function perDisk(
  name: string,
  help: string,
  ofCgroup: (io: DeviceIo) => number | undefined,
  ofDisk?: (disk: DiskDetails) => number,
): Series {
  const put = ({ details, fileSystems }: MeasuredCgroup, take: PutValue): void => {
    const { devices } = details.io;
    // Most cgroups have used no disk, and all but one have no file systems.
    if (devices.length + fileSystems.length === 0) return;
    const counted = new Set<string>();
    for (const io of devices) {
      const value = ofCgroup(io);
      if (value === undefined || counted.has(io.device)) continue;
      counted.add(io.device);
      take(value, toLabelText('device', io.device));
    }
    if (ofDisk === undefined) return;
    for (const { device, disk } of fileSystems)
      if (!counted.has(device)) take(disk === undefined ? 0 : ofDisk(disk), toLabelText('device', device));
  };
  return { name, help, kind: 'counter', isTimed: true, put };
}

function perCost(name: string, help: string, value: (cost: IoCost) => number): Series {
  return perDisk(name, help, ({ cost }) => cost && value(cost) / US);
}

function uncounted(): undefined {
  return undefined;
}

export const DISK_SERIES: readonly Series[] = [
  {
    name: 'container_blkio_device_usage_total',
    help: 'Blkio Device bytes usage',
    kind: 'counter',
    isTimed: true,
    put: ({ details }, put) => {
      for (const { device, major, minor, bytes } of details.io.devices) {
        const labels = `${toLabelText('device', device)},major="${major}",minor="${minor}"`;
        for (const operation in bytes)
          put(bytes[operation] ?? 0, `${labels},${toLabelText('operation', operation)}`);
      }
    },
  },
  perFileSystem('container_fs_inodes_free', 'Number of available Inodes', (fs) => fs.inodesFree),
  perFileSystem('container_fs_inodes_total', 'Number of Inodes', (fs) => fs.inodes),
  perCost(
    'container_fs_io_cost_indebt_seconds_total',
    'Cumulative IOCost debt in seconds',
    (cost) => cost.indebtUs,
  ),
  perCost(
    'container_fs_io_cost_indelay_seconds_total',
    'Cumulative IOCost delay in seconds',
    (cost) => cost.indelayUs,
  ),
  perCost(
    'container_fs_io_cost_usage_seconds_total',
    'Cumulative IOCost usage in seconds',
    (cost) => cost.usageUs,
  ),
  perCost(
    'container_fs_io_cost_wait_seconds_total',
    'Cumulative IOCost wait in seconds',
    (cost) => cost.waitUs,
  ),
  {
    ...perDisk(
      'container_fs_io_current',
      'Number of I/Os currently in progress',
      uncounted,
      (disk) => disk.inProgress,
    ),
    kind: 'gauge',
  },
  perDisk(
    'container_fs_io_time_seconds_total',
    'Cumulative count of seconds spent doing I/Os',
    uncounted,
    (disk) => disk.busyMs / MS,
  ),
  perDisk(
    'container_fs_io_time_weighted_seconds_total',
    'Cumulative weighted I/O time in seconds',
    uncounted,
    (disk) => disk.weightedMs / MS,
  ),
  perFileSystem(
    'container_fs_limit_bytes',
    'Number of bytes that can be consumed by the container on this filesystem.',
    (fs) => fs.capacityBytes,
  ),
  perDisk(
    'container_fs_read_seconds_total',
    'Cumulative count of seconds spent reading',
    uncounted,
    (disk) => disk.reads.ms / MS,
  ),
  perDisk(
    'container_fs_reads_bytes_total',
    'Cumulative count of bytes read',
    ({ bytes }) => bytes['Read'] ?? 0,
  ),
  perDisk(
    'container_fs_reads_merged_total',
    'Cumulative count of reads merged',
    uncounted,
    (disk) => disk.reads.merged,
  ),
  perDisk(
    'container_fs_reads_total',
    'Cumulative count of reads completed',
    ({ operations }) => operations['Read'] ?? 0,
    (disk) => disk.reads.completed,
  ),
  perDisk(
    'container_fs_sector_reads_total',
    'Cumulative count of sector reads completed',
    uncounted,
    (disk) => disk.reads.sectors,
  ),
  perDisk(
    'container_fs_sector_writes_total',
    'Cumulative count of sector writes completed',
    uncounted,
    (disk) => disk.writes.sectors,
  ),
  perFileSystem(
    'container_fs_usage_bytes',
    'Number of bytes that are consumed by the container on this filesystem.',
    (fs) => fs.usedBytes,
  ),
  perDisk(
    'container_fs_write_seconds_total',
    'Cumulative count of seconds spent writing',
    uncounted,
    (disk) => disk.writes.ms / MS,
  ),
  perDisk(
    'container_fs_writes_bytes_total',
    'Cumulative count of bytes written',
    ({ bytes }) => bytes['Write'] ?? 0,
  ),
  perDisk(
    'container_fs_writes_merged_total',
    'Cumulative count of writes merged',
    uncounted,
    (disk) => disk.writes.merged,
  ),
  perDisk(
    'container_fs_writes_total',
    'Cumulative count of writes completed',
    ({ operations }) => operations['Write'] ?? 0,
    (disk) => disk.writes.completed,
  ),
  counter(
    'container_pressure_io_stalled_seconds_total',
    'Total time duration no tasks in the container could make progress due to IO congestion.',
    ({ details: { io } }) => io.psi && io.psi.full.total / US,
  ),
  counter(
    'container_pressure_io_waiting_seconds_total',
    'Total time duration tasks in the container have waited due to IO congestion.',
    ({ details: { io } }) => io.psi && io.psi.some.total / US,
  ),
];
