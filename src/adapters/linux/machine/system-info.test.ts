import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDevicePluginDirectoryEmpty, parseOsImage, readSystemInfo } from './system-info.ts';

let root = '';

async function write(path: string, text: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'system-info-'));
});
after(() => rm(root, { recursive: true }));

describe('readSystemInfo', () => {
  it('of an empty machine is empty, never a failure', async () => {
    const info = await readSystemInfo({ root: join(root, 'none'), kernelVersion: '6.1', nodeArch: 'arm64' });
    assert.deepEqual(info, {
      machineId: '',
      systemUuid: '',
      bootId: '',
      kernelVersion: '6.1',
      osImage: 'Linux',
      operatingSystem: 'linux',
      architecture: 'arm64',
      hugepages: [],
    });
  });

  it('reads identities, distribution and huge pages', async () => {
    await write('var/lib/dbus/machine-id', 'abc\n');
    await write('proc/device-tree/vm,uuid', '1234\0');
    await write('proc/sys/kernel/random/boot_id', 'boot\n');
    await write('usr/lib/os-release', 'NAME=x\nPRETTY_NAME="Debian GNU/Linux 12"\n');
    await write('sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages', '3\n');
    await write('sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages', '0\n');
    const info = await readSystemInfo({ root, nodeArch: 'x64' });
    assert.equal(info.machineId, 'abc');
    assert.equal(info.systemUuid, '1234');
    assert.equal(info.bootId, 'boot');
    assert.equal(info.osImage, 'Debian GNU/Linux 12');
    assert.equal(info.architecture, 'amd64');
    assert.deepEqual(info.hugepages, [
      { pageBytes: 2_097_152, totalBytes: 6_291_456 },
      { pageBytes: 1_073_741_824, totalBytes: 0 },
    ]);
  });
});

describe('parseOsImage', () => {
  for (const [text, expected] of [
    ["PRETTY_NAME='Flatcar'", 'Flatcar'],
    ['PRETTY_NAME=Bare Linux', 'Bare Linux'],
    ['NAME=x', 'Linux'],
  ] as const)
    it(`${text} is ${expected}`, () => assert.equal(parseOsImage(text), expected));
});

describe('isDevicePluginDirectoryEmpty', () => {
  it('is true without the directory and with hidden files only', async () => {
    const path = join(root, 'device-plugins');
    assert.equal(await isDevicePluginDirectoryEmpty(path), true);
    await write('device-plugins/.hidden', '');
    assert.equal(await isDevicePluginDirectoryEmpty(path), true);
    await write('device-plugins/kubelet_internal_checkpoint', '');
    assert.equal(await isDevicePluginDirectoryEmpty(path), false);
  });
});
