import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { LEGACY_LOG_DIRECTORY } from '../../core/model/log-paths.ts';
import { removeDeadLogLinks } from './dead-log-links.ts';

const LOGS = '/var/log/pods';

describe('removeDeadLogLinks', () => {
  it('removes links into our logs that lead nowhere, unless the container is known', async () => {
    const files = new FakeFiles();
    for (const directory of [LEGACY_LOG_DIRECTORY, `${LOGS}/p`, '/elsewhere'])
      await files.makeDirectory(directory, 0o755);
    await files.writeFile(`${LOGS}/p/0.log`, 'x', 0o644);
    const link = (name: string, target: string) => files.linkTo(target, `${LEGACY_LOG_DIRECTORY}/${name}`);
    await link('p_ns_main-alive.log', `${LOGS}/p/0.log`);
    await link('p_ns_main-dead.log', `${LOGS}/gone/0.log`);
    await link('p_ns_main-rotating.log', `${LOGS}/p/1.log`);
    await link('p_ns_main-foreign.log', '/elsewhere/0.log');
    await files.writeFile(`${LEGACY_LOG_DIRECTORY}/plain-file.log`, 'x', 0o644);
    await removeDeadLogLinks(files, LOGS, (id) => id === 'rotating');
    assert.deepEqual(await files.listDirectory(LEGACY_LOG_DIRECTORY), [
      'p_ns_main-alive.log',
      'p_ns_main-foreign.log',
      'p_ns_main-rotating.log',
      'plain-file.log',
    ]);
  });
});
