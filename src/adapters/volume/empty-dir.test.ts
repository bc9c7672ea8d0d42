import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { NEEDS_MOUNTS } from '../../../test/fakes/mount-right.ts';
import { mountFailure, RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { volumeDirectory } from '../../core/model/pod-paths.ts';
import { LinuxMounter } from '../linux/mount/mounter.ts';
import { TreeMeter } from '../linux/stats/tree-meter.ts';
import { EmptyDirDriver } from './empty-dir.ts';

const { signal } = new AbortController();
const MEMORY = { medium: 'Memory' };
const GIB = 2 ** 30;
let rootDir: string;
const trees = new TreeMeter(new FakeClock());
let mounter: RecordingMounter;
let driver: EmptyDirDriver;

beforeEach(async () => {
  rootDir = await mkdtemp(join(tmpdir(), 'empty-dir-'));
  mounter = new RecordingMounter();
  driver = new EmptyDirDriver({ mounter, trees, node: sampleNode({ rootDir }) });
});
afterEach(() => rm(rootDir, { recursive: true }));

const directory = (): string =>
  volumeDirectory(rootDir, toPodUid('uid-1'), 'kubernetes.io/empty-dir', 'data');
const place = () => ({ podUid: toPodUid('uid-1'), name: 'data', directory: directory() });

function mount(emptyDir: { medium?: string; sizeLimit?: string } = {}, spec: Partial<PodSpec> = {}) {
  const volume = { name: 'data', emptyDir };
  return driver.mount({ ...place(), pod: samplePod(spec), volume, isRemount: false, signal, warn: () => {} });
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o7777;
}

function limited(memory: string): Partial<PodSpec> {
  return { containers: [sampleContainer({ resources: { limits: { memory }, requests: { memory } } })] };
}

describe('EmptyDirDriver', () => {
  it('makes a world-writable directory below one that is not', async () => {
    const result = await mount();
    assert.deepEqual(result.ok && result.value.prepared, {
      hostPath: directory(),
      readOnly: false,
      selinuxRelabel: true,
    });
    assert.equal(await modeOf(directory()), 0o777);
    assert.equal(await modeOf(join(directory(), '..')), 0o750);
    assert.deepEqual(mounter.calls, []);
  });

  it('has the kernel count a volume on disk of a pod with users of its own, and no other', async () => {
    const calls: string[] = [];
    const counted: { usedBytes: number; inodesUsed: number }[] = [{ usedBytes: 4096, inodesUsed: 2 }];
    const quotas = {
      assign: async (path: string, hasLimit: boolean) => calls.push(`assign ${path} ${hasLimit}`) > 0,
      read: async () => counted.pop(),
      clear: async (path: string) => void calls.push(`clear ${path}`),
    };
    driver = new EmptyDirDriver({ mounter, trees, quotas, node: sampleNode({ rootDir }) });
    await mount();
    await mount({ medium: 'Memory' }, { hostUsers: false });
    assert.deepEqual(calls, []);
    await driver.unmount(place());
    const own = await mount({ sizeLimit: '1Gi' }, { hostUsers: false });
    assert.ok(own.ok);
    const { gauge } = own.value;
    assert.equal(gauge?.source, 'fsquota');
    const reading = await gauge.read(signal);
    assert.deepEqual([reading?.usage.usedBytes, reading?.usage.inodesUsed], [4096, 2]);
    // What the kernel does not count any more is counted file by file.
    await writeFile(join(directory(), 'file'), 'x'.repeat(10_000));
    assert.ok(((await gauge.read(signal))?.usage.usedBytes ?? 0) >= 10_000);
    await driver.unmount(place());
    assert.deepEqual(calls, [`clear ${directory()}`, `assign ${directory()} true`, `clear ${directory()}`]);
  });

  it('sets the mode that a crash kept from being set', async () => {
    await mkdir(directory(), { recursive: true });
    await chmod(directory(), 0o700);
    await mount();
    assert.equal(await modeOf(directory()), 0o777);
  });

  it("leaves a volume alone that was set up: its files and modes are the pod's", async () => {
    await mount();
    await chmod(directory(), 0o700);
    await writeFile(join(directory(), 'file'), 'x');
    await mount({}, { securityContext: { fsGroup: process.getgid?.() ?? 0 } });
    assert.equal(await modeOf(directory()), 0o700);
    assert.notEqual(await modeOf(join(directory(), 'file')), 0o660);
  });

  it('gives the volume to the group of the pod once', async () => {
    await mount({}, { securityContext: { fsGroup: process.getgid?.() ?? 0 } });
    assert.equal(await modeOf(directory()), 0o2777);
  });

  const sizes: [name: string, sizeLimit: string | undefined, spec: Partial<PodSpec>, bytes: number][] = [
    ['what the node offers', undefined, {}, 15 * GIB],
    ['its own limit', '8Mi', {}, 8 * 2 ** 20],
    ['the limit of the pod', undefined, limited('1Gi'), GIB],
    ['the smaller of both', '2Gi', limited('1Gi'), GIB],
    ['its own limit below that of the pod', '8Mi', limited('1Gi'), 8 * 2 ** 20],
    ['what the node offers when its limit is larger', '99Gi', {}, 15 * GIB],
    ['what the node offers when its limit is zero', '0', {}, 15 * GIB],
  ];
  for (const [name, sizeLimit, spec, bytes] of sizes) {
    it(`mounts memory of the size of ${name}`, async () => {
      await mount({ ...MEMORY, ...(sizeLimit === undefined ? {} : { sizeLimit }) }, spec);
      assert.deepEqual(mounter.mounts.get(directory()), {
        fsType: 'tmpfs',
        source: 'tmpfs',
        target: directory(),
        options: [`size=${bytes}`],
      });
    });
  }

  it('keeps memory out of swap where the node can', async () => {
    const node = sampleNode({ rootDir });
    driver = new EmptyDirDriver({
      mounter,
      trees,
      node: { ...node, swap: { ...node.swap, tmpfsNoSwap: true } },
    });
    await mount({ ...MEMORY, sizeLimit: '8Mi' });
    assert.deepEqual(mounter.mounts.get(directory())?.options, [`size=${8 * 2 ** 20}`, 'noswap']);
  });

  it('mounts memory once, and again after a reboot', async () => {
    await mount(MEMORY);
    await mount(MEMORY);
    assert.deepEqual(mounter.calls, ['mount tmpfs']);
    mounter.mounts.clear();
    await mount(MEMORY);
    assert.deepEqual(mounter.calls, ['mount tmpfs', 'mount tmpfs']);
  });

  it('finds the mount that a killed agent made', async () => {
    await mkdir(directory(), { recursive: true });
    mounter.mounts.set(directory(), {});
    await mount(MEMORY);
    assert.deepEqual(mounter.calls, []);
  });

  it('tries again after a mount that failed', async () => {
    mounter.failure = mountFailure();
    await assert.rejects(mount(MEMORY), /no luck/);
    assert.equal((await mount(MEMORY)).ok, true);
    assert.ok(mounter.mounts.has(directory()));
  });

  const huge = (size: string) => ({
    containers: [sampleContainer({ resources: { requests: { [`hugepages-${size}`]: '4Mi' } } })],
  });
  it('mounts huge pages of the size the pod asks for', async () => {
    await mount({ medium: 'HugePages' }, huge('2Mi'));
    assert.deepEqual(mounter.mounts.get(directory())?.options, ['pagesize=2097152']);
  });

  it('gives the kernel options that it takes, for memory and for huge pages', NEEDS_MOUNTS, async () => {
    driver = new EmptyDirDriver({ mounter: new LinuxMounter(), trees, node: sampleNode({ rootDir }) });
    for (const [medium, spec, expected] of [
      ['Memory', limited('8Mi'), / tmpfs .*size=8192k/],
      ['HugePages-2Mi', huge('2Mi'), / hugetlbfs .*pagesize=2M/],
    ] as const) {
      try {
        assert.ok((await mount({ medium }, spec)).ok);
        assert.ok((await mount({ medium }, spec)).ok, 'once more');
        const lines = (await readFile('/proc/mounts', 'utf8')).split('\n');
        const shown = lines.filter((line) => line.includes(` ${directory()} `));
        assert.equal(shown.length, 1);
        assert.match(shown[0] ?? '', expected);
      } finally {
        await driver.unmount(place());
      }
      await assert.rejects(stat(directory()), { code: 'ENOENT' });
    }
  });

  const refusals: [medium: string, spec: Partial<PodSpec>, message: string][] = [
    ['Paper', {}, 'unknown storage medium "Paper"'],
    [
      'HugePages',
      {},
      'medium HugePages: hugePages storage requested, but there is no resource request for huge pages',
    ],
    [
      'HugePages-1Gi',
      huge('2Mi'),
      'medium HugePages-1Gi: hugePages storage requested, but there is no resource request for huge pages',
    ],
    [
      'HugePages',
      { containers: [...huge('2Mi').containers, ...huge('1Gi').containers] },
      "medium: HugePages can't be used if container requests multiple huge page sizes",
    ],
  ];
  for (const [medium, spec, message] of refusals) {
    it(`refuses: ${message}`, async () => {
      assert.deepEqual(await mount({ medium }, spec), { ok: false, message });
    });
  }

  it('takes everything away, also what a killed agent left half', async () => {
    await mount(MEMORY);
    await writeFile(join(directory(), 'file'), 'x');
    await driver.unmount(place());
    await driver.unmount(place());
    assert.equal(mounter.mounts.size, 0);
    await assert.rejects(stat(directory()), { code: 'ENOENT' });
    await assert.rejects(stat(join(rootDir, 'pods/uid-1/plugins/kubernetes.io~empty-dir/data')), {
      code: 'ENOENT',
    });
    await mkdir(directory(), { recursive: true });
    await driver.unmount(place());
    await assert.rejects(stat(directory()), { code: 'ENOENT' });
  });
});
