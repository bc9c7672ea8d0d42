import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FlagType, parseFlagValue } from './flag-values.ts';
import type { JsonValue } from './json-value.ts';

/** Feeds several occurrences, as the command line does. */
function parseAll(type: FlagType, ...texts: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined;
  for (const text of texts) {
    const parsed = parseFlagValue(type, text, value);
    if ('problem' in parsed) return `refused: ${parsed.problem}`;
    value = parsed.value ?? value;
  }
  return value;
}

const ACCEPTED: ReadonlyArray<readonly [type: FlagType, texts: readonly string[], value: JsonValue]> = [
  ['bool', ['T'], true],
  ['bool', ['true', '0'], false],
  ['int32', ['10255'], 10255],
  ['int32', ['-0x10'], -16],
  ['int32', ['010'], 8],
  ['int64', ['9000000000'], 9_000_000_000],
  ['uint32', ['4294967295'], 4294967295],
  ['duration', ['90s'], '1m30s'],
  ['quantity', ['1024Ki'], '1Mi'],
  ['ip', ['010.0.0.001'], '10.0.0.1'],
  ['ip', ['::1'], '::1'],
  ['ip', ['1.2.3.4', ''], '1.2.3.4'],
  ['strings', ['a,b', 'c'], ['a', 'b', 'c']],
  ['strings', ['"a,b",c'], ['a,b', 'c']],
  ['strings', ['"say ""hi"""'], ['say "hi"']],
  ['strings', ['a,'], ['a', '']],
  ['strings', [''], []],
  ['map', ['cpu=1, memory = 2Gi', 'pid=5'], { cpu: '1', memory: '2Gi', pid: '5' }],
  ['map', ['a=b=c'], { a: 'b=c' }],
  ['singlePairMap', ['a=1,2', 'b=x'], { a: '1,2', b: 'x' }],
  [
    'langleMap',
    ['memory.available<1Gi,pid.available<5%'],
    { 'memory.available': '1Gi', 'pid.available': '5%' },
  ],
  ['boolMap', ['A=true', 'B=false'], { A: true, B: false }],
  ['multimap', ['X:1,X:2', 'Y:a:b'], { X: ['1', '2'], Y: ['a:b'] }],
  ['labels', ['a=1,b,,c=', 'd=2'], { a: '1', b: '', c: '', d: '2' }],
  [
    'taints',
    ['k=v:NoSchedule,x:NoExecute'],
    [
      { key: 'k', value: 'v', effect: 'NoSchedule' },
      { key: 'x', effect: 'NoExecute' },
    ],
  ],
  ['taints', ['a=b:NoSchedule', 'c=d:NoExecute'], [{ key: 'c', value: 'd', effect: 'NoExecute' }]],
  [
    'reservedMemory',
    ['0:memory=1Gi,hugepages-2Mi=4Mi;1:memory=2Gi', '2:memory=1Mi'],
    [
      { numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': '4Mi' } },
      { numaNode: 1, limits: { memory: '2Gi' } },
      { numaNode: 2, limits: { memory: '1Mi' } },
    ],
  ],
  [
    'vmodule',
    ['a=1', 'b*=2,c=3'],
    [
      { filePattern: 'b*', verbosity: 2 },
      { filePattern: 'c', verbosity: 3 },
    ],
  ],
];

const REFUSED: ReadonlyArray<readonly [type: FlagType, text: string, complaint: RegExp]> = [
  ['bool', 'yes', /want true or false/],
  ['bool', '', /want true or false/],
  ['int32', '2147483648', /from -2147483648 to 2147483647/],
  ['int32', '1.5', /want an integer/],
  ['int32', '', /want an integer/],
  ['uint32', '-1', /from 0 to 4294967295/],
  ['duration', '5', /want a duration/],
  ['quantity', 'lots', /want a quantity/],
  ['ip', 'localhost', /want an IPv4 or IPv6 address/],
  ['strings', '"a', /quotes balanced/],
  ['map', 'cpu', /malformed pair "cpu": want key=value/],
  ['langleMap', 'memory.available=1Gi', /want key<value/],
  ['boolMap', 'A=maybe', /want true or false/],
  ['multimap', 'secret', /^refused: malformed pair: want Name:value$/],
  ['taints', 'k=v', /want key=value:Effect/],
  ['taints', 'k=v:Never', /want one of NoSchedule/],
  ['taints', '-k=v:NoExecute', /taint key "-k"/],
  ['taints', 'k=v:NoExecute,k=w:NoExecute', /duplicated taint k:NoExecute/],
  ['reservedMemory', 'memory=1Gi', /want numa:type=quantity/],
  ['reservedMemory', '0:cpu=1', /want memory=quantity/],
  ['vmodule', 'a', /want pattern=N/],
];

describe('parseFlagValue', () => {
  for (const [type, texts, value] of ACCEPTED) {
    it(`reads ${type} from ${texts.map((text) => JSON.stringify(text)).join(' then ')}`, () => {
      assert.deepEqual(parseAll(type, ...texts), value);
    });
  }
  for (const [type, text, complaint] of REFUSED) {
    it(`refuses ${JSON.stringify(text)} as ${type}`, () => {
      assert.match(String(parseAll(type, text)), complaint);
    });
  }
});
