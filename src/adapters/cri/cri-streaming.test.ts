import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toContainerId, toSandboxId } from '../../core/model/ids.ts';
import type { CriClient } from './cri-client.ts';
import { CriStreaming } from './cri-streaming.ts';

function make(url: string) {
  const sent: unknown[] = [];
  const call = async (name: string, request: unknown) => {
    sent.push([name, request]);
    return { url };
  };
  return { streaming: new CriStreaming({ call } as unknown as CriClient), sent };
}

describe('CriStreaming', () => {
  const streams = { stdin: true, stdout: true, stderr: false, tty: true };

  it('asks for the streams that are wanted', async () => {
    const { streaming, sent } = make('http://127.0.0.1:1/exec/t');
    await streaming.exec(toContainerId('c'), ['ls', '-l'], streams);
    await streaming.attach(toContainerId('c'), streams);
    await streaming.portForward(toSandboxId('s'), [80]);
    assert.deepEqual(sent, [
      ['exec', { containerId: 'c', cmd: ['ls', '-l'], ...streams }],
      ['attach', { containerId: 'c', ...streams }],
      ['portForward', { podSandboxId: 's', port: [80] }],
    ]);
  });

  it('treats an address without a scheme as plain HTTP, and refuses what is not a URL', async () => {
    const at = (url: string) => make(url).streaming.attach(toContainerId('c'), streams);
    assert.equal((await at('//127.0.0.1:5/x')).href, 'http://127.0.0.1:5/x');
    await assert.rejects(at('nowhere'), /cannot use streaming address "nowhere" of the runtime/);
  });
});
