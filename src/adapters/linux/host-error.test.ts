import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { describe, it } from 'node:test';
import { AgentError, type AgentErrorCode } from '../../base/errors.ts';
import { hasErrno, toHostError } from './host-error.ts';

function systemError(name: keyof typeof constants.errno): Error {
  const errno = -constants.errno[name];
  return Object.assign(new Error(`${name}: something, open '/x'`), { code: name, errno });
}

describe('toHostError', () => {
  const cases: readonly (readonly [keyof typeof constants.errno, AgentErrorCode, string])[] = [
    ['ENOSPC', 'resource-exhausted', 'no space left on device'],
    ['ENOENT', 'not-found', 'no such file or directory'],
    ['EACCES', 'permission-denied', 'permission denied'],
    ['EPERM', 'permission-denied', 'operation not permitted'],
    ['EBUSY', 'unavailable', 'resource busy or locked'],
    ['EIO', 'unknown', 'i/o error'],
  ];
  for (const [name, code, reason] of cases)
    it(`maps ${name} to ${code}`, () => {
      const cause = systemError(name);
      const error = toHostError('write', '/var/"x"', cause);
      assert.equal(error.code, code);
      assert.equal(error.message, `cannot write "/var/\\"x\\"": ${reason}`);
      assert.equal(error.cause, cause);
    });

  it('keeps an AgentError and names what else was thrown', () => {
    const known = new AgentError('not-found', 'x');
    assert.equal(toHostError('read', '/x', known), known);
    assert.equal(toHostError('read', '/x', new Error('odd')).message, 'cannot read "/x": odd');
  });
});

describe('hasErrno', () => {
  it('is true only for one of the named failures', () => {
    assert.equal(hasErrno(systemError('ENOENT'), 'ENOTDIR', 'ENOENT'), true);
    assert.equal(hasErrno(systemError('ENOENT'), 'ENOTDIR'), false);
    assert.equal(hasErrno({ code: 'ENOENT' }, 'ENOENT'), false);
  });
});
