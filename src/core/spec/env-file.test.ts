import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findInEnvFile } from './env-file.ts';

const BAD = "couldn't parse env file";
const cases: [name: string, text: string, expected: string | undefined][] = [
  ['a value', "A='x'\nKEY='value'\n", 'value'],
  ['no newline at the end', "KEY='value'", 'value'],
  ['leading blanks', " \t KEY='value'\n", 'value'],
  ['blank lines and comments', "\n  \n# KEY='no'\n  # x\nKEY='value'\n", 'value'],
  ['a value over lines', "KEY='one\n two\n'\n", 'one\n two\n'],
  ['a line in a value that looks like the key', "A='\nKEY='\nKEY='value'\n", 'value'],
  ['a comment after the value', "KEY='value'  # note\n", 'value'],
  ['the first of two', "KEY='one'\nKEY='two'\n", 'one'],
  ['an empty value', "KEY=''\n", ''],
  ['nothing after the equals sign', 'KEY=\n', ''],
  ['a blank after the equals sign', "KEY= 'value'\n", ''],
  ['a value with an equals sign', "KEY='a=b'\n", 'a=b'],
  ['faults after the key', "KEY='value'\nbroken\n", 'value'],
  ['another key only', "OTHER='x'\n", undefined],
  ['an empty file', '', undefined],
  ['a key after one without a value', "A=\nKEY='value'\n", 'value'],
  ['an empty Windows line', "\r\nKEY='value'\r\n", 'value'],
  ['a line as long as it may be', `KEY='${'x'.repeat(65_529)}'\n`, 'x'.repeat(65_529)],
  [
    'two long lines of a value',
    `KEY='${'x'.repeat(65_000)}\n${'x'.repeat(65_000)}'\n`,
    `${'x'.repeat(65_000)}\n${'x'.repeat(65_000)}`,
  ],
  ['Windows line ends', "A='x'\r\nKEY='value'\r\n", 'value'],
];
const faults: [name: string, text: string][] = [
  ['no quotes', 'KEY=value\n'],
  ['double quotes', 'KEY="value"\n'],
  ['no closing quote', "KEY='value\n"],
  ['text after the value', "KEY='value'x\n"],
  ['a blank before the equals sign', "KEY ='value'\n"],
  ['no equals sign', 'KEY\n'],
  ['no name', "='x'\n"],
  ['a longer line', `KEY='${'x'.repeat(65_530)}'\n`],
  ['a longer line of a value', `KEY='\n${'x'.repeat(65_536)}\n'\n`],
  ['nothing but a quote', "KEY='"],
];

describe('findInEnvFile', () => {
  for (const [name, text, expected] of cases) {
    it(`reads ${name}`, () => assert.deepEqual(findInEnvFile(text, 'KEY'), { ok: true, value: expected }));
  }
  for (const [name, text] of faults) {
    it(`refuses ${name}`, () => assert.deepEqual(findInEnvFile(text, 'KEY'), { ok: false, message: BAD }));
  }
});
