/** Files of assignments: what an agent finds on disk when it starts. */
import assert from 'node:assert/strict';
import { parseCpuState, renderCpuState } from '../../../src/core/cpus/cpu-checkpoint.ts';
import { parseMemoryState, renderMemoryState } from '../../../src/core/numa-memory/memory-checkpoint.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

const WORDS = [
  '"checksum":0',
  '"entries":',
  '"__proto__":',
  '0-65535',
  ',',
  '{',
  '}',
  '[',
  ']',
  '-1',
  '1e400',
];

/** What is read is written the same way again, or it is said what is wrong. */
export const cpuState: FuzzTarget = {
  name: 'cpu-state',
  seeds: [
    '{"policyName":"static","defaultCpuSet":"0-3,8","entries":{"uid":{"main":"4-5"}},"checksum":0}',
    '{"policyName":"static","defaultCpuSet":"0","entries":{"container":"1"},"checksum":0}',
  ],
  words: WORDS,
  check: (input) => {
    const parsed = parseCpuState(input.toString(), 'static');
    if ('problem' in parsed) return;
    const text = renderCpuState('static', parsed.state);
    const again = parseCpuState(text, 'static');
    assert.ok('state' in again);
    assert.equal(renderCpuState('static', again.state), text);
  },
  large: {
    ranges: (size) =>
      Buffer.from(`{"policyName":"static","defaultCpuSet":"${fill('1-9,', size)}1","checksum":0}`),
    containers: (size) => {
      const containers = Array.from(
        { length: Math.ceil(size / 12) },
        (_, index) => `"c${index}":"${index % 99}"`,
      );
      return Buffer.from(
        `{"policyName":"static","defaultCpuSet":"0","entries":{"p":{${containers.join(',')}}},"checksum":0}`,
      );
    },
  },
};

export const memoryState: FuzzTarget = {
  name: 'memory-state',
  seeds: [
    '{"policyName":"Static","machineState":{"0":{"numberOfAssignments":1,"memoryMap":{"memory":{"total":9,"systemReserved":1,"allocatable":8,"reserved":3,"free":5}},"cells":[0]}},"entries":{"uid":{"main":[{"numaAffinity":[0],"type":"memory","size":3}]}},"checksum":0}',
  ],
  words: [...WORDS, '"numaAffinity":', '"cells":'],
  check: (input) => {
    const parsed = parseMemoryState(input.toString(), 'Static');
    if ('problem' in parsed) return;
    const text = renderMemoryState('Static', parsed.state);
    const again = parseMemoryState(text, 'Static');
    assert.ok('state' in again);
    assert.equal(renderMemoryState('Static', again.state), text);
  },
  large: {
    blocks: (size) => {
      const block = '{"numaAffinity":[0],"type":"memory","size":3},';
      return Buffer.from(
        `{"policyName":"Static","machineState":{},"entries":{"p":{"c":[${fill(block, size).slice(0, -1)}]}},"checksum":0}`,
      );
    },
  },
};
