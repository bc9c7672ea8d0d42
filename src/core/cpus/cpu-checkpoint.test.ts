import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toPodUid } from '../model/ids.ts';
import { parseCpuState, renderCpuState } from './cpu-checkpoint.ts';
import { parseCpuSet } from './cpu-set.ts';
import { NO_CPU_STATE } from './cpu-state.ts';

const set = (text: string) => parseCpuSet(text) ?? new Set<number>();
const assigned = new Map([
  [
    toPodUid('pod'),
    new Map([
      ['container2', set('1-3')],
      ['container1', set('4-6')],
    ]),
  ],
]);
const problemOf = (text: string, policy = 'static') => {
  const parsed = parseCpuState(text, policy);
  return 'problem' in parsed ? parsed.problem : undefined;
};

describe('renderCpuState', () => {
  it('writes what upstream writes, with its checksum', () => {
    assert.equal(
      renderCpuState('none', NO_CPU_STATE),
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    );
    const { checksum } = JSON.parse(renderCpuState('none', { shared: set('1-3'), assigned }));
    assert.equal(checksum, 3610638499);
  });
});

describe('parseCpuState', () => {
  const good = renderCpuState('static', { shared: set('0,7'), assigned });

  it('reads what was written', () => {
    assert.deepEqual(parseCpuState(good, 'static'), { state: { shared: set('0,7'), assigned } });
  });

  it('takes a file without checksum as old agents wrote it', () => {
    const text = good.replace(/"checksum":\d+/, '"checksum":0');
    assert.ok('state' in parseCpuState(text, 'static'));
  });

  it('reads the oldest format, where containers are known by their id only', () => {
    const text = '{"policyName":"static","defaultCpuSet":"0","entries":{"id1":"1-2"},"checksum":0}';
    const owners = new Map([['id1', { uid: toPodUid('pod'), name: 'main' }]]);
    assert.deepEqual(parseCpuState(text, 'static', owners), {
      state: { shared: set('0'), assigned: new Map([[toPodUid('pod'), new Map([['main', set('1-2')]])]]) },
    });
    assert.match(problemOf(text) ?? '', /containerID 'id1' not found in initial containers list/);
  });

  it('says what is wrong with any other text', () => {
    const wrong: readonly [string, RegExp][] = [
      ['', /not a checkpoint/],
      ['[]', /not a checkpoint/],
      ['{"policyName":1,"defaultCpuSet":"","checksum":0}', /not a checkpoint/],
      ['{"policyName":"static","defaultCpuSet":"","entries":{"p":{"c":7}},"checksum":0}', /not a checkpoint/],
      [good.replace('"0,7"', '"0,8"'), /corrupted/],
      [
        good.replace('static', 'none').replace(/"checksum":\d+/, '"checksum":0'),
        /configured policy "static" differs from state checkpoint policy "none"/,
      ],
      ['{"policyName":"static","defaultCpuSet":"0-","checksum":0}', /could not parse default cpu set "0-"/],
      [
        '{"policyName":"static","defaultCpuSet":"0-99999999","checksum":0}',
        /could not parse default cpu set/,
      ],
      ['{"policyName":"static","defaultCpuSet":"0","entries":{"../x":{"c":"1"}},"checksum":0}', /no UID/],
      [
        '{"policyName":"static","defaultCpuSet":"0","entries":{"p":{"c":"x"}},"checksum":0}',
        /could not parse cpuset "x" for container "c" in pod "p"/,
      ],
    ];
    for (const [text, problem] of wrong) assert.match(problemOf(text) ?? 'fine', problem, text);
  });
});
