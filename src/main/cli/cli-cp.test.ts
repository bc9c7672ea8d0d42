import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { parseCliArguments } from '../config/cli/cli-arguments.ts';
import type { LocalClient } from './ask/local-client.ts';
import type { MessageConnection } from './ask/web-socket-client.ts';
import { copyFiles } from './cli-cp.ts';

const SUCCESS = { status: 'Success' };
const failure = (code: number) => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
});

/** What a container does with a command: bytes of its standard output, of its standard error, and its end. */
type Answer = { readonly out?: Buffer; readonly err?: string; readonly status: object };

describe('copyFiles', () => {
  let root: string;
  let commands: string[][];
  let sent: Buffer[];
  let answer: (command: readonly string[]) => Answer;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kts-'));
    commands = [];
    sent = [];
  });
  afterEach(() => rm(root, { recursive: true }));

  function connect(command: readonly string[]): MessageConnection {
    const { out = Buffer.of(), err = '', status } = answer(command);
    const inputEnded = Promise.withResolvers<void>();
    return {
      send: (message) => {
        if (message[0] === 0) sent.push(Buffer.from(message.subarray(1)));
        if (message[0] === 255) inputEnded.resolve();
        return true;
      },
      drained: async () => {},
      run: async (onMessage) => {
        if (command.includes('-xmf')) await inputEnded.promise;
        for (let at = 0; at < out.length; at += 1000)
          await onMessage(Buffer.concat([Buffer.of(1), out.subarray(at, at + 1000)]));
        if (err !== '') await onMessage(Buffer.concat([Buffer.of(2), Buffer.from(err)]));
        await onMessage(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(status))]));
      },
      close: () => {},
    };
  }

  async function copy(words: readonly string[], isTTY = false) {
    const asked = parseCliArguments('cp', words);
    if (asked.kind !== 'command') throw new Error(JSON.stringify(asked));
    const pod = {
      metadata: { name: 'web', namespace: 'default', uid: 'u' },
      spec: { containers: [{ name: 'main' }] },
    };
    const client = {
      getJson: async () => ({ items: [pod] }),
      openWebSocket: async (path: string) => {
        const command = new URLSearchParams(path.split('?')[1]).getAll('command');
        commands.push(command);
        assert.match(path, /^\/exec\/default\/web\/u\/main\?/);
        return connect(command);
      },
    } as unknown as LocalClient;
    const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
    const host = {
      ...{ stdin: new PassThrough(), stdout, stderr, env: {}, now: () => 0 },
      findRunning: async () => [],
      listProcesses: async () => [],
      signal: new AbortController().signal,
    };
    const exitCode = await copyFiles({ client, asked, host });
    return { exitCode, err: String(stderr.read() ?? '') };
  }

  it('copies a file of a container, says nothing in a pipe and sums up on a terminal', async () => {
    await writeFile(join(root, 'hosts'), 'text');
    const out = execFileSync('tar', ['-cf', '-', '-C', root, './hosts']);
    answer = () => ({ out, status: SUCCESS });
    assert.deepEqual(await copy(['web:/etc/hosts', join(root, 'copy')]), { exitCode: 0, err: '' });
    assert.equal(await readFile(join(root, 'copy'), 'utf8'), 'text');
    assert.deepEqual(commands, [['tar', '-cf', '-', '-C', '/etc', './hosts']]);
    assert.deepEqual(await copy(['web:/etc/hosts', root], true), {
      exitCode: 0,
      err: 'copied 1 file, 1 KiB\n',
    });
  });

  it('copies a file into a container, under a new name or into a directory', async () => {
    await writeFile(join(root, 'a'), 'text');
    for (const [isDirectory, tail] of [
      [false, ['-C', '/etc']],
      [true, ['-C', '/etc/x']],
    ] as const) {
      answer = ([program]) => ({ status: program === 'test' && !isDirectory ? failure(1) : SUCCESS });
      assert.equal((await copy([join(root, 'a'), 'web:/etc/x'])).exitCode, 0);
      assert.deepEqual(commands.splice(0), [
        ['test', '-d', '/etc/x'],
        ['tar', '-xmf', '-', ...tail],
      ]);
      const names = execFileSync('tar', ['-tf', '-'], { input: Buffer.concat(sent.splice(0)) }).toString();
      assert.equal(names, isDirectory ? './a\n' : './x\n');
    }
  });

  it('says what tar says when it fails, and does not obey it', async () => {
    answer = () => ({ err: 'tar: \x1b[2Jx: No such file\n', status: failure(1) });
    assert.deepEqual(await copy(['web:/x', root]), {
      exitCode: 1,
      err: 'error: tar: ^[[2Jx: No such file\n',
    });
  });

  it('says that the container has no tar', async () => {
    answer = () => ({ status: failure(127) });
    const { exitCode, err } = await copy(['web:/x', root]);
    assert.equal(exitCode, 1);
    assert.match(err, /^error: the container has no program tar.*kubelet exec POD -- cat FILE/);
  });

  it('stops at a path that was not asked for', async () => {
    await writeFile(join(root, 'evil'), 'text');
    const out = execFileSync('tar', ['-cf', '-', '-C', root, './evil']);
    answer = () => ({ out, status: SUCCESS });
    await assert.rejects(copy(['web:/x', root]), /"\.\/evil", which was not asked for/);
  });

  it('explains what is no copy', async () => {
    const { exitCode, err } = await copy(['a', 'b']);
    assert.deepEqual([exitCode, err.includes('POD:PATH')], [2, true]);
  });
});
