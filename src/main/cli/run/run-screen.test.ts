import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { PodLine } from './judge-run.ts';
import { RunScreen } from './run-screen.ts';

interface Shown {
  readonly screen: RunScreen;
  readonly out: () => string;
  readonly err: () => string;
}

function show(isTTY: boolean, env: Record<string, string> = { TERM: 'xterm' }): Shown {
  const [stdout, stderr] = [true, false].map(() => Object.assign(new PassThrough(), { isTTY, columns: 40 }));
  assert.ok(stdout !== undefined && stderr !== undefined);
  const text = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    text.out += String(chunk);
  });
  stderr.on('data', (chunk) => {
    text.err += String(chunk);
  });
  return { screen: new RunScreen({ stdout, stderr, env }), out: () => text.out, err: () => text.err };
}

const line = (text: string): PodLine => ({ uid: 'u', name: 'web', mood: 'good', text, key: text });

describe('RunScreen', () => {
  it('in a pipe: plain lines, one for each change, no last line', async () => {
    const { screen, out, err } = show(false);
    screen.say('starting');
    screen.showPods([line('ready')], 'Ctrl-C ends');
    screen.showPods([line('ready')], 'Ctrl-C ends');
    await screen.showLog('web/main', [Buffer.from('a\n'), Buffer.from('b\n')]);
    screen.close();
    assert.equal(err(), '[run] starting\n[run] web: ready\n');
    assert.equal(out(), '[web/main] a\n[web/main] b\n');
  });

  it('does not wait for a reader that has gone', async () => {
    const stdout = new PassThrough({ highWaterMark: 1 });
    const screen = new RunScreen({ stdout, stderr: new PassThrough(), env: {} });
    stdout.on('error', () => {});
    const shown = screen.showLog('web/main', [Buffer.from('a line\n')]);
    stdout.destroy(new Error('EPIPE'));
    await shown;
    await screen.showLog('web/main', [Buffer.from('another line\n')]);
  });

  it('on a terminal: colours and a last line that stays below what is written', async () => {
    const { screen, out, err } = show(true);
    screen.showPods([line('ready')], 'Ctrl-C ends');
    await screen.showLog('web/main', [Buffer.from('a\n')]);
    assert.ok(err().includes('\x1b[32mready'));
    const [, last = '', again = ''] = err().split('1 of 1 well  Ctrl-C ends\x1b[0m');
    assert.deepEqual([last, again], ['\r\x1b[K\x1b[2m', '']);
    assert.equal(out(), '\x1b[36m[web/main]\x1b[0m a\n');
    screen.close();
    assert.ok(err().endsWith('\r\x1b[K'));
  });

  it('no line is longer than the terminal', () => {
    const { screen, err } = show(true, { TERM: 'xterm', NO_COLOR: '1' });
    screen.showPods([line('ready')], 'x'.repeat(100));
    assert.ok((err().split('\r\x1b[K').at(-1) ?? '').length < 40);
  });

  it('nothing a pod says is obeyed by the terminal', () => {
    const { screen, err } = show(false);
    screen.showPods([{ ...line('a\x1b[2J\nb'), name: 'x\r' }], '');
    assert.equal(err(), '[run] x\\r: a^[[2J\\nb\n');
  });

  for (const env of [{ TERM: 'dumb' }, { TERM: 'xterm', NO_COLOR: '1' }])
    it(`no colours with ${JSON.stringify(env)}`, () => {
      const { screen, err } = show(true, env);
      screen.say('starting', 'good');
      assert.equal(err(), '[run] starting\n');
    });
});
