import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CliPod } from '../ask/choose-pod.ts';
import { renderTree, toPodTree } from './render-tree.ts';

const POD: CliPod = {
  metadata: { name: 'web', namespace: 'default', uid: 'abc' },
  spec: { containers: [] },
};

describe('renderTree', () => {
  it('shows each of thousands of nested processes, those below 64 levels side by side', () => {
    const many = 4_000;
    const processes = Array.from({ length: many }, (_, index) => ({
      pid: index + 2,
      parentPid: index + 1,
      command: 'sh',
      podUid: 'abc',
      containerId: 'f'.repeat(64),
      cgroup: '/kubepods/podabc/x',
    }));
    const lines = renderTree(toPodTree(POD, processes)).split('\n');
    const shown = lines.flatMap((line) => /process (?<pid>\d+) sh$/.exec(line)?.groups?.['pid'] ?? []);
    assert.deepEqual(
      shown.map(Number),
      processes.map(({ pid }) => pid),
    );
    const levelOf = (pid: number): number =>
      (lines.find((line) => line.endsWith(`process ${pid} sh`)) ?? '').indexOf('process') / 3;
    assert.deepEqual([2, 3, 65, 66, many + 1].map(levelOf), [2, 3, 65, 65, 65]);
  });
});
