/** `kubelet run` on real containerd: to the end, until Ctrl-C, beside another run, and what it leaves: nothing. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectCri } from '../../src/adapters/cri/connect-cri.ts';
import { POD_OWNER_LABEL } from '../../src/adapters/cri/pod-owner.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { silentLogger } from '../fakes/text-logger.ts';
import { containerdEndpoint } from './node.ts';
import { container, type SamplePod, samplePod, scriptPod } from './sample-pods.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');
const POLL_MS = 25;
const LIMIT_MS = 120_000;

/** A run that has been started. */
class Run {
  readonly rootDir: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  out = '';
  err = '';

  constructor(directory: string, name: string, flags: readonly string[]) {
    this.rootDir = join(directory, `root-${name}`);
    const own = [`--root-dir=${this.rootDir}`, `--runtime-endpoint=${containerdEndpoint()}`];
    this.#child = spawn(PROGRAM, ['run', ...own, '-f', join(directory, `${name}.yaml`), ...flags]);
    this.#child.stdout?.on('data', (chunk) => {
      this.out += chunk;
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.err += chunk;
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  async ended(): Promise<number | null> {
    const late = delay(LIMIT_MS, 'late' as const, { ref: false });
    const code = await Promise.race([this.#ended, late]);
    if (code !== 'late') return code;
    this.#child.kill('SIGKILL');
    throw new Error(`the run has not ended:\n${this.err}`);
  }

  async until(stream: 'out' | 'err', pattern: RegExp): Promise<void> {
    for (let waited = 0; !pattern.test(this[stream]); waited += POLL_MS) {
      if (waited > LIMIT_MS || this.#child.exitCode !== null)
        throw new Error(`no ${pattern} in:\n${this.out}${this.err}`);
      await delay(POLL_MS);
    }
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }
}

describe('kubelet run on containerd', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubelet-run-'));
  });
  after(() => rm(directory, { recursive: true }));

  async function start(pod: SamplePod, ...flags: readonly string[]): Promise<Run> {
    const { name } = pod.metadata;
    await writeFile(join(directory, `${name}.yaml`), JSON.stringify(pod));
    return new Run(directory, name, flags);
  }

  /** Nothing of it is left: pods in the runtime, the directory with its mounts, the cgroup. */
  async function auditNothingLeft(run: Run): Promise<void> {
    assert.equal(existsSync(run.rootDir), false, run.err);
    assert.deepEqual(await listOwners(), []);
    const hierarchies = await readdir('/sys/fs/cgroup');
    const groups = await Promise.all(
      hierarchies.map((name) => readdir(join('/sys/fs/cgroup', name)).catch(() => [])),
    );
    assert.deepEqual(
      [...hierarchies, ...groups.flat()].filter((name) => name.startsWith('kubeletrun')),
      [],
    );
  }

  it('--once shows what containers write and ends with the exit code of the one that failed', async () => {
    const pod = samplePod('job', {
      restartPolicy: 'Never',
      initContainers: [container('first', ['sh', '-c', 'echo prepared'])],
      containers: [
        container('a', ['sh', '-c', 'echo failing; exit 3']),
        container('b', ['sh', '-c', 'printf "no line end"']),
      ],
    });
    const run = await start(pod, '--once');
    assert.equal(await run.ended(), 3, run.err);
    assert.deepEqual(run.out.split('\n').toSorted(), [
      '',
      '[job/a] failing',
      '[job/b] no line end',
      '[job/first] prepared',
    ]);
    assert.match(run.err, /\[run\] job: container "a" ended with exit code 3\n$/);
    assert.ok(!run.err.includes('\x1b'));
    await auditNothingLeft(run);
  });

  it('--once ends with 0 when all goes well, and does not wait for an image forever', async () => {
    const good = await start(scriptPod('good', 'true', { restartPolicy: 'OnFailure' }), '--once');
    assert.equal(await good.ended(), 0, good.err);
    const missing = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'localhost:1/nope:1' }] };
    const bad = await start(samplePod('bad', missing), '--once');
    assert.equal(await bad.ended(), 1);
    assert.match(bad.err, /container "main" cannot be started: \w+: .*localhost:1\/nope:1/);
    await auditNothingLeft(bad);
  });

  it('ends its own pods at Ctrl-C and leaves those of another run alone', async () => {
    const loop = 'trap "echo bye; exit 0" TERM; echo up; while true; do sleep 0.1; done';
    const [one, two] = [await start(scriptPod('one', loop)), await start(scriptPod('two', loop))];
    await Promise.all([one, two].map((run) => run.until('out', /up\n/)));
    one.interrupt();
    assert.equal(await one.ended(), 130, one.err);
    assert.match(one.out, /\[one\/main\] bye\n$/);
    assert.equal(existsSync(one.rootDir), false);
    assert.equal((await listOwners()).length, 1);
    two.interrupt();
    assert.equal(await two.ended(), 130, two.err);
    await auditNothingLeft(two);
  });

  it('--keep leaves pods running, the next run takes them over, and a second Ctrl-C shortens their grace', async () => {
    const script = 'trap "" TERM; echo up; while true; do sleep 0.1; done';
    const pod = scriptPod('kept', script, { terminationGracePeriodSeconds: 600 });
    const first = await start(pod, '--keep');
    await first.until('out', /up\n/);
    first.interrupt();
    assert.equal(await first.ended(), 130, first.err);
    assert.equal((await listOwners()).length, 1);
    const second = await start(pod);
    await second.until('err', /kept: ready/);
    second.interrupt();
    await second.until('err', /kept: ending/);
    second.interrupt();
    assert.equal(await second.ended(), 130, second.err);
    assert.equal(second.out.split('up\n').length, 2, 'the container was not restarted');
    await auditNothingLeft(second);
  });
});

/** Of the pods in the runtime that belong to a run. */
async function listOwners(): Promise<string[]> {
  const clock = new SystemClock();
  const settings = { endpoint: containerdEndpoint(), requestTimeoutMs: 30_000, clock, logger: silentLogger };
  const cri = connectCri(settings);
  try {
    const sandboxes = await cri.reader.listSandboxes();
    return sandboxes.flatMap(({ labels }) => labels[POD_OWNER_LABEL] ?? []);
  } finally {
    await cri.close();
  }
}
