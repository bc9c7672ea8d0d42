import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import { parseEndpoint } from './endpoint.ts';

describe('parseEndpoint', () => {
  it('takes unix URLs and, deprecated, bare paths', () => {
    assert.deepEqual(parseEndpoint('unix:///run/containerd/containerd.sock'), {
      socketPath: '/run/containerd/containerd.sock',
      deprecated: false,
    });
    assert.deepEqual(parseEndpoint('/run/crio/crio.sock'), {
      socketPath: '/run/crio/crio.sock',
      deprecated: true,
    });
  });

  it('refuses everything else with the words of other kubelets', () => {
    const cases = [
      ['tcp://127.0.0.1:1234', 'only support unix socket endpoint'],
      ['npipe:////./pipe/x', 'protocol "npipe" not supported'],
      ['http://host/x', 'protocol "http" not supported'],
      ['run/x.sock', 'cannot use endpoint "run/x.sock": it has no absolute socket path'],
      ['', 'cannot use endpoint "": it has no absolute socket path'],
      ['unix://', 'cannot use endpoint "unix://": it has no absolute socket path'],
    ] as const;
    for (const [text, message] of cases)
      assert.throws(() => parseEndpoint(text), new AgentError('invalid-argument', message));
  });
});
