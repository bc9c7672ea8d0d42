/** kubectl through the real API server: logs, exec, attach, cp, port-forward and debug, on both ways of streaming. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { container, samplePod, scriptPod } from '../../integration/sample-pods.ts';
import { type Cluster, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { KubectlSession, runInTerminal, runKubectl, type Transport } from './kubectl-session.ts';
import { BUSYBOX, sleeper } from './sample-objects.ts';

const TRANSPORTS: readonly Transport[] = ['websocket', 'spdy'];
const MEBIBYTE = 1024 * 1024;
const BIG_BYTES = 100_000_000;
const SESSIONS = 50;
/** However busy the machine is. */
const FOLLOW_LIMIT_MS = 180_000;
/** Of the kubelet, above what it had before: far below what passes through it. */
const MAX_GROWTH_BYTES = 64 * MEBIBYTE;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A pod that is ready, and the arguments that name its namespace. */
async function startPod(cluster: Cluster, namespace: string, pod: object): Promise<readonly string[]> {
  await cluster.apply(namespace, pod);
  await waitForReadyPods(cluster, namespace, 1);
  return ['-n', namespace];
}

describe('kubectl logs', NEEDS_CLUSTER, () => {
  it('selects by tail, bytes, time and container, and shows times', () =>
    withCluster(async (cluster, namespace) => {
      const speak =
        'echo old; sleep 2; for i in 1 2 3; do echo new $i; done; exec /bin/tini -- sleep infinity';
      const pod = samplePod('talker', {
        containers: [
          container('main', ['sh', '-c', speak]),
          container('other', ['sh', '-c', 'echo hi; exec /bin/tini -- sleep infinity']),
        ],
      });
      const at = await startPod(cluster, namespace, pod);
      const logs = (...args: string[]): Promise<string> => cluster.kubectl(...at, 'logs', 'talker', ...args);
      await waitFor('the last line', async () => (await logs('-c', 'main')).includes('new 3'));
      assert.equal(await logs('-c', 'main'), 'old\nnew 1\nnew 2\nnew 3\n');
      assert.equal(await logs('-c', 'other'), 'hi\n');
      assert.equal(await logs('-c', 'main', '--tail=2'), 'new 2\nnew 3\n');
      assert.equal(await logs('-c', 'main', '--tail=0'), '');
      assert.equal(await logs('-c', 'main', '--limit-bytes=6'), 'old\nne');
      assert.equal(await logs('-c', 'main', '--since=1h'), 'old\nnew 1\nnew 2\nnew 3\n');
      const lines = (await logs('-c', 'main', '--timestamps')).split('\n');
      const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) new 1$/.exec(lines[1] ?? '')?.[1] ?? '';
      assert.notEqual(stamp, '', `no time in "${lines[1]}"`);
      // kubectl sends whole seconds.
      const second = `${stamp.slice(0, 19)}Z`;
      assert.equal(await logs('-c', 'main', `--since-time=${second}`), 'new 1\nnew 2\nnew 3\n');
      await waitFor(
        'silence in the last second',
        async () => (await logs('-c', 'main', '--since=1s')) === '',
      );
      assert.match(await logs('--all-containers', '--prefix'), /^\[pod\/talker\/other\] hi$/m);
    }));

  it('shows the instance before with --previous, and says when there is none', () =>
    withCluster(async (cluster, namespace) => {
      const script =
        'if [ -f /keep/x ]; then echo second; exec /bin/tini -- sleep infinity; fi; touch /keep/x; echo first; exit 3';
      const keep = { volumeMounts: [{ name: 'keep', mountPath: '/keep' }] };
      const pod = samplePod('twice', {
        containers: [container('main', ['sh', '-c', script], keep)],
        volumes: [{ name: 'keep', emptyDir: {} }],
      });
      const at = await startPod(cluster, namespace, pod);
      await waitFor('the second instance', async () =>
        (await cluster.kubectl(...at, 'logs', 'twice')).includes('second'),
      );
      assert.equal(await cluster.kubectl(...at, 'logs', 'twice', '--previous'), 'first\n');
      const none = await runKubectl([...at, 'logs', 'twice', '-c', 'missing']);
      assert.equal(none.code, 1);
      await cluster.apply(namespace, sleeper('once'));
      await waitForReadyPods(cluster, namespace, 1, 'app=once');
      const { code, err } = await runKubectl([...at, 'logs', 'once', '--previous']);
      assert.equal(code, 1);
      assert.match(err, /previous terminated container "main" in pod "once" not found/);
    }));

  it('follows to the end of the container', () =>
    withCluster(async (cluster, namespace) => {
      const script = 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.3; done';
      await cluster.apply(namespace, scriptPod('short', script, { restartPolicy: 'Never' }));
      await waitFor('the first line', async () =>
        (await cluster.kubectl('-n', namespace, 'logs', 'short')).startsWith('line 1\n'),
      );
      const { code, out } = await runKubectl(['-n', namespace, 'logs', '-f', 'short']);
      assert.equal(code, 0);
      assert.equal(out.toString(), Array.from({ length: 8 }, (_, n) => `line ${n + 1}\n`).join(''));
    }));
});

for (const transport of TRANSPORTS)
  describe(`kubectl exec, attach, cp, port-forward and debug over ${transport}`, NEEDS_CLUSTER, () => {
    it('exec: arguments, input, both outputs, exit codes', () =>
      withCluster(async (cluster, namespace) => {
        const at = await startPod(cluster, namespace, sleeper('web'));
        const exec = (command: readonly string[], input?: string) =>
          runKubectl([...at, 'exec', ...(input === undefined ? [] : ['-i']), 'web', '--', ...command], {
            transport,
            ...(input === undefined ? {} : { input }),
          });
        const both = await exec(['sh', '-c', 'echo out; echo err >&2; exit 7']);
        assert.deepEqual([both.code, both.out.toString()], [7, 'out\n']);
        assert.match(both.err, /^err\n/);
        const odd = ['', 'two words', '*', '"quoted"', 'ä'];
        const printed = await exec(['sh', '-c', 'for a; do echo "<$a>"; done', 'sh', ...odd]);
        assert.equal(printed.out.toString(), odd.map((word) => `<${word}>\n`).join(''));
        assert.equal((await exec(['wc', '-c'], 'x'.repeat(70_000))).out.toString().trim(), '70000');
        // The command ends although its input stays open.
        await using open = new KubectlSession(
          [...at, 'exec', '-i', 'web', '--', 'sh', '-c', 'read line; exit 5'],
          transport,
        );
        open.write('one\ntwo\n');
        assert.equal((await open.ended()).code, 5);
        const missing = await exec(['/no/such/program']);
        assert.notEqual(missing.code, 0);
        assert.match(missing.err, /no such file or directory/);
        const unknown = await runKubectl([...at, 'exec', 'web', '-c', 'missing', '--', 'true'], {
          transport,
        });
        assert.equal(unknown.code, 1);
      }));

    it('exec in a terminal: its size, a change of it, and the exit code', () =>
      withCluster(async (cluster, namespace) => {
        const [, ns = ''] = await startPod(cluster, namespace, sleeper('web'));
        // The size comes a moment after the command has started.
        const sized = 'until stty size 2>/dev/null | grep .; do sleep 0.1; done';
        const inside = `tty; ${sized}; trap 'stty size; exit 9' WINCH; echo ready; while :; do sleep 0.1; done`;
        const resize =
          'until grep -q ready "$TRANSCRIPT"; do sleep 0.1; done; stty cols 132 rows 50 </dev/tty';
        const { code, shown } = await runInTerminal(
          `(${resize}) & kubectl -n ${ns} exec -it web -- sh -c "${inside}"`,
          { transport },
        );
        assert.match(shown, /\/dev\/pts\/\d+\n24 80\nready\n50 132\n/);
        assert.equal(code, 9);
      }));

    it('attach: input reaches the process, with and without a terminal', () =>
      withCluster(async (cluster, namespace) => {
        const echoing = 'while read line; do echo "got <$line>"; done';
        const pod = samplePod('console', {
          containers: [
            container('plain', ['sh', '-c', echoing], { stdin: true }),
            container('term', ['sh', '-c', `tty; ${echoing}`], { stdin: true, tty: true }),
          ],
        });
        const at = await startPod(cluster, namespace, pod);
        await using plain = new KubectlSession(
          [...at, 'attach', '-q', '-i', 'console', '-c', 'plain'],
          transport,
        );
        // What is typed before the connection is there waits in the pipe.
        plain.write('one\n');
        await plain.waitForOutput(/got <one>\n/);
        plain.write('two\n');
        await plain.waitForOutput(/got <two>\n/);
        const line = `kubectl ${at.join(' ')} attach -q -it console -c term`;
        // The line makes the container show what it got; then the terminal is closed from outside.
        const end = `(until grep -q "got <typed>" "$TRANSCRIPT"; do sleep 0.1; done; kill 0)`;
        const { shown } = await runInTerminal(`${end} & ${line}`, { transport, input: 'typed\n' });
        assert.match(shown, /got <typed>\n/);
        assert.match(await cluster.kubectl(...at, 'logs', 'console', '-c', 'term'), /\/dev\/pts\/\d+/);
      }));

    it('cp: a directory in and out, byte by byte', () =>
      withCluster(async (cluster, namespace) => {
        const at = await startPod(cluster, namespace, sleeper('web'));
        const directory = await mkdtemp(join(tmpdir(), 'kubectl-cp-'));
        try {
          const bytes = randomBytes(3 * MEBIBYTE);
          await writeFile(join(directory, 'data'), bytes);
          const copy = async (from: string, to: string): Promise<void> => {
            const { code, err } = await runKubectl([...at, 'cp', from, to], { transport });
            assert.equal(code, 0, err);
          };
          await copy(directory, 'web:/tmp/in');
          await copy('web:/tmp/in', join(directory, 'back'));
          const back = await readFile(join(directory, 'back', 'data'));
          assert.equal(sha256(back), sha256(bytes));
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      }));

    it('port-forward: several connections at once, and half-closed ones', () =>
      withCluster(async (cluster, namespace) => {
        const serve = 'echo -n content >/tmp/file; exec /bin/tini -- httpd -f -p 8080 -h /tmp';
        const at = await startPod(cluster, namespace, scriptPod('web', serve));
        // kubectl gives up at the first connection that is refused inside.
        await waitFor('the server in the pod', async () => {
          const ask = ['exec', 'web', '--', 'sh', '-c', 'netstat -ltn | grep -q :8080'];
          return (await runKubectl([...at, ...ask])).code === 0;
        });
        await using forward = new KubectlSession([...at, 'port-forward', 'web', ':8080'], transport);
        const [, found] = await forward.waitForOutput(/127\.0\.0\.1:(\d+) -> 8080/);
        const port = Number(found);
        const answers = await Promise.all(Array.from({ length: 20 }, () => fetchText(port)));
        assert.deepEqual(answers, Array(20).fill('content'));
        // The client has said all and waits; what the runtime makes of it is to wait another second.
        for (let n = 0; n < 3; n++) assert.match(await askAndEnd(port), /\r\n\r\ncontent$/);
        assert.equal(await fetchText(port), 'content');
      }));

    it('debug: an ephemeral container beside the others, with input', () =>
      withCluster(async (cluster, namespace) => {
        const at = await startPod(cluster, namespace, sleeper('web'));
        const debug = [
          'debug',
          'web',
          `--image=${BUSYBOX}`,
          '--image-pull-policy=Never',
          '--profile=general',
        ];
        const shell = ['--target=main', '-c', 'doctor', '-i', '-q', '--', 'sh'];
        await using session = new KubectlSession([...at, ...debug, ...shell], transport);
        session.write('echo in $((40+2)); ps | grep -c "sleep infinit[y]"\n');
        // It shares the process namespace of its target.
        await session.waitForOutput(/in 42\n[1-9]/);
        session.end('exit 4\n');
        await session.ended();
        await waitFor('the end of the ephemeral container', async () => {
          const [pod] = await cluster.pods(namespace);
          return pod?.status?.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode === 4;
        });
      }));

    it('exec: a hundred million bytes in and out, none lost or changed', () =>
      withCluster(async (cluster, namespace) => {
        const at = await startPod(cluster, namespace, sleeper('web'));
        const bytes = randomBytes(BIG_BYTES);
        const { code, out, err } = await runKubectl([...at, 'exec', '-i', 'web', '--', 'cat'], {
          input: bytes,
          transport,
        });
        assert.equal(code, 0, err);
        assert.equal(out.length, bytes.length);
        assert.equal(sha256(out), sha256(bytes));
      }));

    it(`exec: ${SESSIONS} sessions at once, each with its own input and exit code`, () =>
      withCluster(async (cluster, namespace) => {
        const at = await startPod(cluster, namespace, sleeper('web'));
        // All are open at the same time: each waits for its second line, which comes when the last has answered.
        const script = 'read word; echo first $word; read word; echo second $word; exit $1';
        const open = (n: number) =>
          new KubectlSession(
            [...at, 'exec', '-i', 'web', '--', 'sh', '-c', script, 'sh', String(n)],
            transport,
          );
        const sessions = Array.from({ length: SESSIONS }, (_, n) => open(n));
        try {
          for (const [n, session] of sessions.entries()) session.write(`word${n}\n`);
          for (const [n, session] of sessions.entries())
            await session.waitForOutput(new RegExp(`^first word${n}\n`), 180_000);
          // The input stays open: see spdy-exec.test.ts for what containerd makes of an end that meets the command's.
          for (const [n, session] of sessions.entries()) session.write(`more${n}\n`);
          for (const [n, session] of sessions.entries()) {
            const { code, out } = await session.ended();
            assert.deepEqual([code, out.toString()], [n, `first word${n}\nsecond more${n}\n`]);
          }
        } finally {
          await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
        }
      }));
  });

describe('kubectl logs -f of a container that writes without pause', NEEDS_CLUSTER, () => {
  it('keeps up or is slowed, with the memory of the kubelet flat', { timeout: 300_000 }, () =>
    withCluster(async (cluster, namespace) => {
      // About 20 MB/s where the machine can: blocks of long lines with short rests.
      const prepare = 'head -c 749 /dev/zero | tr "\\000" x >/tmp/l; echo >>/tmp/l';
      const grow =
        'for i in 1 2 3 4 5 6 7 8 9 10; do cat /tmp/l; done >/tmp/b; for i in 1 2 3 4 5 6 7 8 9 10; do cat /tmp/b; done >/tmp/c';
      const script = `${prepare}; ${grow}; while :; do for i in 1 2 3 4 5 6 7 8 9 10; do cat /tmp/c; done; usleep 25000; done`;
      const at = await startPod(cluster, namespace, scriptPod('writer', script));
      const before = await readResidentBytes();
      const fast = await follow([...at, 'logs', '-f', 'writer'], 12_000, 20 * MEBIBYTE);
      const slow = await follow([...at, 'logs', '-f', 'writer'], 8_000, 'reads little');
      assert.ok(fast.bytes > 20 * MEBIBYTE, `only ${fast.bytes} bytes came`);
      for (const peak of [fast.peak, slow.peak])
        assert.ok(peak - before < MAX_GROWTH_BYTES, `memory went from ${before} to ${peak} bytes`);
    }),
  );
});

/**
 * Reads a command's output for a while and until so much of it has come, however long this machine needs for it, or
 * lets it wait; notes the most memory the kubelet had meanwhile.
 */
async function follow(
  args: readonly string[],
  forMs: number,
  how: number | 'reads little',
): Promise<{ readonly bytes: number; readonly peak: number }> {
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let [bytes, peak] = [0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (how === 'reads little') child.stdout.pause();
  });
  const endAt = performance.now() + forMs;
  try {
    await waitFor(
      'the end of the measurement',
      async () => {
        peak = Math.max(peak, await readResidentBytes());
        return performance.now() >= endAt && (how === 'reads little' || bytes > how);
      },
      FOLLOW_LIMIT_MS,
    ).catch(() => {});
  } finally {
    child.kill('SIGKILL');
  }
  return { bytes, peak };
}

/** Of the kubelet of the cluster. */
async function readResidentBytes(): Promise<number> {
  const file = join(process.env['KUBELET_TS_HOST_DIR'] ?? '', 'run', 'kubelet-cluster.pid');
  const [pid = ''] = (await readFile(file, 'utf8')).trim().split(' ');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

function fetchText(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path: '/file', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(text)).once('error', reject);
    });
    request.once('error', reject).setTimeout(30_000, () => request.destroy(new Error('no answer')));
  });
}

/** Asks for the file, says that no more will come, and reads to the end. */
function askAndEnd(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('end', () => resolve(text)).once('error', reject);
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer')));
    socket.end('GET /file HTTP/1.0\r\n\r\n');
  });
}
