import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AgentErrorCode, hasCode } from '../../src/base/errors.ts';
import { AgentLife } from './agent-life.ts';
import { FakeCgroups } from './fake-cgroups.ts';
import { FakeCheckpoints } from './fake-checkpoints.ts';
import { FakeFiles } from './fake-files.ts';

const failsWith = (code: AgentErrorCode) => (error: unknown) => hasCode(error, code);

describe('FakeFiles', () => {
  it('keeps files, directories and links as a disk does', async () => {
    const files = new FakeFiles();
    await files.makeDirectory('/pods/u1', 0o750);
    await files.makeDirectory('/pods/u1', 0o700);
    await files.writeFile('/pods/u1/hosts', '127.0.0.1 localhost\n', 0o644);
    await files.linkTo('u1/hosts', '/pods/link');
    await files.linkTo('/nowhere', '/pods/dangling');
    assert.deepEqual(files.disk.entries.get('/pods/u1'), {
      kind: 'directory',
      mode: 0o750,
      mountPoint: false,
    });
    assert.equal(await files.readFile('/pods/link'), '127.0.0.1 localhost\n');
    assert.equal(await files.exists('/pods/dangling'), true, 'a link exists wherever it leads');
    assert.equal(await files.readFile('/pods/dangling'), undefined);
    assert.equal(await files.exists('/pods/none'), false);
    await assert.rejects(files.readFile('/pods'), failsWith('failed-precondition'));
    assert.deepEqual(await files.listDirectory('/pods'), ['dangling', 'link', 'u1']);
    assert.deepEqual(await files.listDirectory('/other'), []);
    assert.equal(await files.readFile('/pods/u1/none'), undefined);
    assert.equal(Buffer.from((await files.readTail('/pods/u1/hosts', 5)) ?? []).toString(), 'host\n');
    assert.equal(await files.readTail('/pods/link', 5), undefined);
  });

  it('needs the directory of a file and does not replace a directory', async () => {
    const files = new FakeFiles();
    await assert.rejects(files.writeFile('/a/b', '', 0o644), failsWith('not-found'));
    await files.makeDirectory('/a/b', 0o755);
    await assert.rejects(files.writeFile('/a/b', '', 0o644), failsWith('failed-precondition'));
  });

  it('removes trees, but nothing of one with a mount point inside', async () => {
    const files = new FakeFiles();
    await files.makeDirectory('/pods/u1/volumes/data', 0o755);
    await files.makeDirectory('/pods/u10', 0o755);
    files.setMountPoint('/pods/u1/volumes/data', true);
    await assert.rejects(files.removeTree('/pods/u1'), failsWith('failed-precondition'));
    assert.equal(await files.exists('/pods/u1/volumes'), true);
    files.setMountPoint('/pods/u1/volumes/data', false);
    await files.removeTree('/pods/u1');
    await files.removeTree('/pods/u1');
    assert.deepEqual(await files.listDirectory('/pods'), ['u10']);
  });

  it('a full disk refuses writes and nothing else', async () => {
    const files = new FakeFiles();
    await files.makeDirectory('/pods', 0o755);
    await files.writeFile('/pods/f', 'old', 0o644);
    using _full = files.faults.add({ errno: 'ENOSPC' });
    await assert.rejects(files.writeFile('/pods/f', 'new', 0o644), failsWith('resource-exhausted'));
    assert.equal(await files.readFile('/pods/f'), 'old');
    await files.removeTree('/pods/f');
  });

  it('faults match operation and path, are used up, and may come after the effect', async () => {
    const files = new FakeFiles();
    await files.makeDirectory('/pods', 0o755);
    files.faults.add({ errno: 'EIO', op: 'writeFile', under: '/pods/bad', times: 1, afterEffect: true });
    await files.writeFile('/pods/good', 'x', 0o644);
    await assert.rejects(files.writeFile('/pods/bad', 'x', 0o644), failsWith('unknown'));
    assert.equal(await files.readFile('/pods/bad'), 'x');
    await files.writeFile('/pods/bad', 'y', 0o644);
  });

  it('outlives the agent, whose later calls do nothing', async () => {
    const files = new FakeFiles();
    const life = new AgentLife();
    const agent = files.connect(life);
    await agent.makeDirectory('/pods', 0o755);
    life.kill();
    void agent.makeDirectory('/ghost', 0o755).then(() => assert.fail('replied to a dead agent'));
    assert.deepEqual(await files.connect(new AgentLife()).listDirectory('/'), ['pods']);
  });
});

describe('FakeCheckpoints', () => {
  it('returns what was written at that moment, also to the next agent', async () => {
    const store = new FakeCheckpoints();
    const life = new AgentLife();
    const document = { version: 1, pods: ['a'] };
    const written = store.connect(life).write('state', document);
    document.pods.push('b');
    await written;
    life.kill();
    assert.deepEqual(await store.connect(new AgentLife()).read('state'), { version: 1, pods: ['a'] });
    assert.equal(await store.read('other'), undefined);
  });

  it('keeps the old document when a write fails and reports damage', async () => {
    const store = new FakeCheckpoints();
    await store.write('state', 1);
    store.faults.add({ errno: 'ENOSPC', times: 1 });
    await assert.rejects(store.write('state', 2), failsWith('resource-exhausted'));
    assert.equal(await store.read('state'), 1);
    store.documents.set('state', '{"version":');
    await assert.rejects(store.read('state'), /cannot read checkpoint "state": it is damaged/);
  });
});

describe('FakeCgroups', () => {
  it('removes a cgroup with those below unless processes are left in it', async () => {
    const cgroups = new FakeCgroups();
    const had: boolean[] = [];
    for (const path of ['/pods/a', '/pods/a/b', '/pods/ab']) had.push((await cgroups.ensure(path)).hadParent);
    assert.deepEqual(had, [false, true, true]);
    cgroups.busy.add('/pods/a/b');
    await assert.rejects(cgroups.remove('/pods/a'), failsWith('unavailable'));
    cgroups.busy.clear();
    await cgroups.remove('/pods/a');
    await cgroups.remove('/pods/a');
    assert.deepEqual([...cgroups.paths], ['/pods/ab']);
    assert.equal(await cgroups.connect(new AgentLife()).exists('/pods/ab'), true);
  });
});
