import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import { describeTakenPort } from './taken-port.ts';

const setting = { setting: 'healthzPort', port: 10_248 };
const failure = (code: string): AgentError =>
  new AgentError('unavailable', 'cannot listen on "127.0.0.1:10248": x', {
    cause: Object.assign(new Error('x'), { code }),
  });

describe('describeTakenPort', () => {
  it('names the setting, and the holder where it is known', async () => {
    const held = await describeTakenPort(failure('EADDRINUSE'), setting, async () => ({
      pid: 812,
      program: 'web "server"',
    }));
    assert.equal(
      held.message,
      'cannot listen on "127.0.0.1:10248": x by process 812 ("web \\"server\\""); the port is set by "healthzPort"',
    );
    const hidden = await describeTakenPort(failure('EADDRINUSE'), setting, async () => undefined);
    assert.match(hidden.message, /: x; the port is set by "healthzPort"$/);
  });

  it('looks for no holder of an address that the machine does not have', async () => {
    const absent = await describeTakenPort(failure('EADDRNOTAVAIL'), setting, () => assert.fail('looked'));
    assert.match(absent.message, /: x; the port is set by "healthzPort"$/);
  });
});
