import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { toContainerParts, toCopyWay } from './copy-places.ts';
import { CopyProgress } from './copy-progress.ts';

describe('toCopyWay', () => {
  for (const [words, way] of [
    [['web:/a', '.'], { kind: 'out', pod: 'web', from: '/a', to: '.' }],
    [['ns/web:a', '/b'], { kind: 'out', pod: 'ns/web', from: 'a', to: '/b' }],
    [['a', 'web:/b'], { kind: 'in', pod: 'web', from: 'a', to: '/b' }],
    [['./a:b', 'web:/b'], { kind: 'in', pod: 'web', from: './a:b', to: '/b' }],
  ] as const)
    it(`reads ${words.join(' ')}`, () => assert.deepEqual(toCopyWay(words), way));
  for (const [words, pattern] of [
    [['a', 'b'], /POD:PATH/],
    [['a:b', 'c:d'], /to this machine first/],
    [['web:', 'b'], /name a path/],
  ] as const)
    it(`refuses ${words.join(' ')}`, () => assert.match(String(toCopyWay(words)), pattern));
});

describe('toContainerParts', () => {
  for (const [path, parts] of [
    ['/etc/hosts', { directory: '/etc', name: 'hosts' }],
    ['/etc/', { directory: '/', name: 'etc' }],
    ['/', { directory: '/', name: '' }],
    ['a', { directory: '.', name: 'a' }],
    ['-rf', { directory: '.', name: '-rf' }],
    ['-x/y', { directory: './-x', name: 'y' }],
    ['..', { directory: '..', name: '' }],
  ] as const)
    it(`takes ${path} apart`, () => assert.deepEqual(toContainerParts(path), parts));
});

describe('CopyProgress', () => {
  const show = (isTTY: boolean): string => {
    const stderr = Object.assign(new PassThrough(), { isTTY, columns: 30 });
    let nowMs = 1_000;
    const progress = new CopyProgress({ stderr, env: {}, now: () => nowMs });
    progress.onFile('y/\x1b[2Ja');
    progress.onBytes(5 * 1024 ** 2);
    nowMs += 1_000;
    progress.onBytes(1);
    progress.onSkipped('l\nink');
    progress.summarize();
    return String(stderr.read());
  };
  it('draws one line on a terminal, whose text it does not obey, and sums up', () =>
    assert.equal(
      show(true),
      '\r\x1b[K0 KiB  y/^[[2Ja\r\x1b[K5.0 MiB  y/^[[2Ja\r\x1b[Kwarning: not copied, as it is no file or directory: l\\nink\ncopied 1 file, 5.0 MiB\n',
    ));
  it('only warns in a pipe', () =>
    assert.equal(show(false), 'warning: not copied, as it is no file or directory: l\\nink\n'));
});
