/** The lanes of `make test` with programs that only note what they were asked for. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

/** `sh` lines by the name of a program, or of a target of make. */
type Scripts = Readonly<Record<string, string>>;

function write(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
}

/** Resolves to its exit code, its output, and what was begun. With `signal`, that is sent when the checks have begun. */
async function run(scripts: Scripts = {}, signal?: NodeJS.Signals) {
  const base = mkdtempSync(join(tmpdir(), 'everything-'));
  const note = (name: string): string => `echo "${name}" >>${base}/begun`;
  const targets = Object.entries(scripts).map(([name, script]) => `${name}) ${script} ;;`);
  write(join(base, 'bin/make'), [note('$1'), 'echo "begins $1"', 'case "$1" in', ...targets, 'esac']);
  // The lane of the virtual machine begins on this processor alone.
  write(join(base, 'bin/uname'), ['echo x86_64']);
  for (const program of ['cluster/build', 'cluster/kubelet', 'cluster/live', 'node-e2e/node-e2e'])
    write(join(base, `test/${program}.sh`), [note(program), scripts[program] ?? '']);
  copyFileSync(join(import.meta.dirname, 'everything.sh'), join(base, 'test/everything.sh'));
  const env = { ...process.env, PATH: `${base}/bin:${process.env['PATH']}` };
  const child = spawn('bash', [join(base, 'test/everything.sh')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (signal !== undefined && !output.includes('begins check') && text.includes('begins check'))
        child.kill(signal);
      output += text;
    });
  const [code] = await once(child, 'close');
  const begun = readFileSync(join(base, 'begun'), 'utf8').trimEnd().split('\n').sort();
  rmSync(base, { recursive: true });
  // Whether the first build has begun by then is a matter of luck.
  return { code, output, begun: begun.filter((name) => name !== 'cluster/build') };
}

const ALL = ['cluster/kubelet', 'cluster/live', 'conformance', 'integration', 'node-e2e/node-e2e', 'vm-test'];

describe('everything.sh', { concurrency: true }, () => {
  it('succeeds when every lane does', async () => {
    const { code, output, begun } = await run();
    assert.equal(code, 0, output);
    for (const name of ALL) assert.ok(begun.includes(name), name);
  });

  for (const failing of ['integration', 'cluster/live', 'node-e2e/node-e2e', 'vm-test'])
    it(`fails when "${failing}" does, and runs the other lanes to their end`, async () => {
      const { code, output, begun } = await run({ [failing]: 'exit 3' });
      assert.equal(code, 1, output);
      assert.match(output, /ended with 3 after/);
      assert.equal(output.match(/FAILED/g)?.length, 1);
      for (const name of ALL) if (name !== 'conformance') assert.ok(begun.includes(name), name);
    });

  it('begins no lane when the checks fail, and ends what is being built', async () => {
    const { code, begun } = await run({ check: 'exit 2', 'cluster/build': 'sleep 1000' });
    assert.equal(code, 1);
    assert.deepEqual(begun, ['check', 'cluster-down']);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends the checks with ${signal}, and begins nothing after them`, async () => {
      const { code, begun } = await run({ check: 'sleep 1000' }, signal);
      assert.notEqual(code, 0);
      assert.deepEqual(begun, ['check', 'cluster-down']);
    });
});
