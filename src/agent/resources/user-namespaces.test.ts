import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { renderMapping } from '../../core/node/user-ids.ts';
import { UserNamespaces } from './user-namespaces.ts';

const L = 65_536;
const logger = silentLogger;
const FILE = (uid: string): string => `/var/lib/kubelet/pods/${uid}/userns`;

function pod(uid: string, hostUsers = false): Pod {
  const sample = samplePod({ hostUsers });
  return { ...sample, metadata: { ...sample.metadata, uid } };
}

function start(files: FakeFiles, canDo = true): UserNamespaces {
  const handlers = [{ name: '', recursiveReadOnlyMounts: false, userNamespaces: canDo }];
  return new UserNamespaces({
    files,
    node: sampleNode({ runtimeHandlers: () => handlers }),
    logger,
    random: () => 0,
    range: { first: L, length: 2 * L, idsPerPod: L },
  });
}

describe('UserNamespaces', () => {
  it('gives every pod a range of its own, also to pods that ask at the same time, and always the same', async () => {
    const users = start(new FakeFiles());
    const given = await Promise.all(['a', 'b', 'a'].map((uid) => users.mappingOf(pod(uid), '')));
    const ids = given.map((one) => one.ok && one.value?.hostId);
    assert.deepEqual(ids, [L, 2 * L, L]);
  });

  it('keeps the range in the pod’s file over starts of the agent', async () => {
    const files = new FakeFiles();
    await start(files).mappingOf(pod('a'), '');
    assert.equal(await files.readFile(FILE('a')), renderMapping({ hostId: L, containerId: 0, length: L }));
    const later = start(files);
    const fresh = await later.mappingOf(pod('b'), '');
    assert.equal(fresh.ok && fresh.value?.hostId, 2 * L, 'what another pod has is taken');
    const same = await later.mappingOf(pod('a'), '');
    assert.equal(same.ok && same.value?.hostId, L);
  });

  it('has no more to give when all are taken, and gives again what was released', async () => {
    const files = new FakeFiles();
    const users = start(files);
    await users.mappingOf(pod('a'), '');
    await users.mappingOf(pod('b'), '');
    const refused = await users.mappingOf(pod('c'), '');
    assert.deepEqual(refused, {
      ok: false,
      message: 'could not find an empty slot to allocate a user namespace',
    });
    await files.removeTree('/var/lib/kubelet/pods/a');
    users.podGone({ uid: toPodUid('a') });
    assert.equal((await users.mappingOf(pod('c'), '')).ok, true);
  });

  it('refuses a pod whose file is not what was given', async () => {
    const files = new FakeFiles();
    await files.makeDirectory('/var/lib/kubelet/pods/a', 0o750);
    await files.writeFile(FILE('a'), renderMapping({ hostId: 0, containerId: 0, length: L }), 0o644);
    const refused = await start(files).mappingOf(pod('a'), '');
    assert.match(refused.ok ? '' : refused.message, /^cannot use ".*userns": host id 0 is no slot/);
  });

  it('asks for nothing where the pod has the node’s users or the runtime cannot give others', async () => {
    const files = new FakeFiles();
    assert.deepEqual(await start(files).mappingOf(pod('a', true), ''), { ok: true, value: undefined });
    assert.deepEqual(await start(files, false).mappingOf(pod('a'), ''), { ok: true, value: undefined });
    assert.equal(await files.exists(FILE('a')), false);
  });
});
