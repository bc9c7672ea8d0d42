import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listPodProcesses, parsePodCgroup } from './list-pod-processes.ts';

const ID = 'a1'.repeat(32);
const UID = '11111111-2222-3333-4444-555555555555';
const STATIC_UID = '0123456789abcdef0123456789abcdef';
const SYSTEMD_POD = `kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${ID}.scope`;
/** Made by a container below its own. */
const INNER_ID = 'b2'.repeat(32);
const INNER_UID = '99999999-2222-3333-4444-555555555555';
const INNER = `kubepods/pod${INNER_UID}/${INNER_ID}`;
const INNER_SYSTEMD = `kubepods.slice/kubepods-pod${INNER_UID.replaceAll('-', '_')}.slice/cri-containerd-${INNER_ID}.scope`;

describe('parsePodCgroup', () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ['version 1', `9:memory:/kubepods/burstable/pod${UID}/${ID}\n1:name=systemd:/\n`, UID],
    ['version 2', `0::/kubepods/pod${STATIC_UID}/${ID}\n`, STATIC_UID],
    [
      'systemd',
      `0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${ID}.scope\n`,
      UID,
    ],
    ['a cgroup made inside the container', `0::/kubepods/pod${UID}/${ID}/init\n`, UID],
    ['the outer of two pods, version 1', `9:memory:/kubepods/burstable/pod${UID}/${ID}/${INNER}\n`, UID],
    ['the outer of two pods, version 2', `0::/kubepods/pod${UID}/${ID}/${INNER}\n`, UID],
    ['the outer of two pods, systemd', `0::/${SYSTEMD_POD}/${INNER_SYSTEMD}\n`, UID],
    ['no pod', '0::/system.slice/ssh.service\n', undefined],
    ['no container', `0::/kubepods/pod${UID}\n`, undefined],
  ];
  for (const [name, text, uid] of rows)
    it(`knows ${name}`, () => {
      const found = parsePodCgroup(text);
      assert.equal(found?.podUid, uid);
      if (uid !== undefined) assert.equal(found?.containerId, ID);
      if (uid !== undefined) assert.doesNotMatch(found?.cgroup ?? '', /init$/);
    });
});

describe('listPodProcesses', () => {
  it('lists what is in the cgroups of pods, and cuts long commands', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kts-'));
    const add = async (pid: number, cgroup: string, command: string): Promise<void> => {
      await mkdir(join(directory, String(pid)));
      await writeFile(join(directory, String(pid), 'cgroup'), cgroup);
      await writeFile(join(directory, String(pid), 'stat'), `${pid} (a) b) S 7 1 1 0`);
      await writeFile(join(directory, String(pid), 'cmdline'), command);
    };
    await add(12, `0::/kubepods/pod${UID}/${ID}\n`, ['sleep', '100', ''].join('\0'));
    await add(9, `0::/kubepods/pod${UID}/${ID}\n`, '');
    await add(13, `0::/kubepods/pod${UID}/${ID}\n`, 'x'.repeat(100_000));
    await add(14, '0::/\n', 'init');
    await mkdir(join(directory, '15'));
    const found = await listPodProcesses(directory);
    assert.deepEqual(
      found.map(({ pid, parentPid, command }) => [pid, parentPid, command.slice(0, 10), command.length]),
      [
        [9, 7, '[a) b]', 6],
        [12, 7, 'sleep 100', 9],
        [13, 7, 'xxxxxxxxxx', 200],
      ],
    );
    await rm(directory, { recursive: true });
  });
});
