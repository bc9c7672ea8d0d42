import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findVerb } from './find-verb.ts';

describe('findVerb', () => {
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ['get pods', 'get', 'pods'],
    ['--root-dir /r get pods', 'get', '--root-dir /r pods'],
    ['--root-dir=/r -n a logs web', 'logs', '--root-dir=/r -n a web'],
    ['--socket /s exec web -- ls', 'exec', '--socket /s web -- ls'],
    ['help', 'help', ''],
    ['apply -f a.yaml', 'apply', '-f a.yaml'],
    ['--root-dir get', undefined, ''],
    ['--root-dir=/r', undefined, ''],
    ['--root-dir /r --config c get', undefined, ''],
    ['--config get', undefined, ''],
    ['nope', undefined, ''],
    ['', undefined, ''],
  ];
  for (const [text, verb, rest] of rows)
    it(`takes "${text}" for ${verb ?? 'the agent'}`, () => {
      const found = findVerb(text.split(' ').filter((word) => word !== ''));
      assert.deepEqual([found?.verb, found?.rest.join(' ') ?? ''], [verb, rest]);
    });
});
