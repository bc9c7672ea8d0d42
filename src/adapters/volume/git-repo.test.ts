import assert from 'node:assert/strict';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { claimRequest } from '../../../test/samples/sample-request.ts';
import { createGitRepoDriver } from './git-repo.ts';

describe('createGitRepoDriver', () => {
  it('clones nothing, but takes away what another kubelet left', async () => {
    const rootDir = await mkdtemp(join(tmpdir(), 'git-repo-'));
    try {
      const driver = createGitRepoDriver({ mounter: new RecordingMounter() });
      const request = claimRequest({ rootDir, plugin: driver.plugin, spec: {} });
      const refused = await driver.mount(request);
      assert.ok(!refused.ok);
      assert.match(refused.message, /^git-repo volume plugin has been disabled; /);
      await mkdir(join(request.directory, '.git'), { recursive: true });
      await writeFile(join(request.directory, '.git', 'HEAD'), 'ref');
      await driver.unmount(request);
      await assert.rejects(access(request.directory), { code: 'ENOENT' });
    } finally {
      await rm(rootDir, { recursive: true });
    }
  });
});
