/**
 * The demo: starts the kubelet standalone with a sample manifest, shows how
 * the pod gets ready, calls it, and runs until Ctrl-C. With ONCE=1 it ends by
 * itself: exit code 0 when the pod got ready, 1 with the reason when not.
 * Either way it ends its pods and the kubelet before it leaves.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { whenAborted } from '../../src/base/async/when-aborted.ts';
import { PAGE_PORT } from '../../src/server/page/page-server.ts';
import { freePort } from './free-port.ts';
import { KubeletProcess, type ListedPod } from './kubelet-process.ts';
import { describeTrouble, toPodSteps } from './pod-steps.ts';
import { removeCgroupRoot } from './remove-cgroup-root.ts';
import { StepView } from './step-view.ts';

const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] || '/var/lib/kubelet-ts-host';
const ENDPOINT =
  process.env['KUBELET_TS_DEMO_ENDPOINT'] || `unix://${HOST_DIR}/instances/demo/containerd.sock`;
const DIRECTORY = join(HOST_DIR, 'demo');
const KUBELET = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');
const MANIFEST = 'web.yaml';
const POD = 'web-demo';
const READY_DEADLINE_MS = 120_000;
/** Beyond the longest grace of a pod. */
const GONE_SLACK_MS = 30_000;
const DEFAULT_GRACE_SECONDS = 30;
const LOOK_MS = 100;
/** An end that takes so long is worth a word. */
const LATE_MS = 6_000;
const SHOWN_LINES = 15;

const say = (text: string): void => void process.stdout.write(`[demo] ${text}\n`);

async function main(once: boolean): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());
  const lock = await takeLock();
  if (lock === undefined) {
    say('another demo is running: end it with Ctrl-C first');
    return 1;
  }
  const kubelet = new KubeletProcess({
    directory: DIRECTORY,
    endpoint: ENDPOINT,
    nodeName: 'demo',
    flags: [`--page-port=${await freePort(PAGE_PORT)}`],
  });
  try {
    await cleanStart(kubelet);
    const problem = await bringUp(kubelet, interrupted.signal);
    if (problem !== undefined) explain(kubelet, problem);
    else if (!once && !interrupted.signal.aborted) await stayUp(kubelet, interrupted.signal);
    await cleanUp(kubelet);
    return problem === undefined ? 0 : 1;
  } finally {
    await kubelet.stop();
    // Its root is a mount of its own; one in which pods are left stays.
    await promisify(execFile)('umount', [kubelet.rootDir]).catch(() => {});
    await removeCgroupRoot(kubelet.cgroupRoot);
    lock.close();
  }
}

/** Abstract sockets vanish with their process, so that a lock never outlives a demo. */
function takeLock(): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(`\0kubelet-ts-demo ${DIRECTORY}`, () => resolve(server));
  });
}

/** What a killed demo left: its kubelet is ended here, its pods are ended by the new one. */
async function cleanStart(kubelet: KubeletProcess): Promise<void> {
  await mkdir(kubelet.manifestDir, { recursive: true });
  const pidFile = join(DIRECTORY, 'kubelet.pid');
  const pid = (await readFile(pidFile, 'utf8').catch(() => '')).trim();
  const commandLine = pid === '' ? '' : await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (commandLine.includes(`--root-dir=${kubelet.rootDir}`)) process.kill(Number(pid), 'SIGTERM');
  await rm(join(kubelet.manifestDir, MANIFEST), { force: true });
  await rm(kubelet.logFile, { force: true });
}

/** Starts kubelet and pod and shows the way to Ready. Answers what went wrong, if anything. */
async function bringUp(kubelet: KubeletProcess, stop: AbortSignal): Promise<string | undefined> {
  const beganMs = performance.now();
  const view = new StepView({
    isTerminal: process.stdout.isTTY === true && process.env['TERM'] !== 'dumb',
    write: (text) => process.stdout.write(text),
    elapsedMs: () => performance.now() - beganMs,
  });
  let ended: string | undefined;
  say(`starting the kubelet on ${ENDPOINT}`);
  await kubelet.start();
  void kubelet.ended.then(
    ({ code, signal }) => {
      ended = `the kubelet ended with ${signal ?? `exit code ${code}`}`;
    },
    (error: unknown) => {
      ended = `cannot start the kubelet: ${error}`;
    },
  );
  await writeFile(join(DIRECTORY, 'kubelet.pid'), `${kubelet.pid}\n`);
  const manifest = await readFile(join(import.meta.dirname, MANIFEST), 'utf8');
  let dropped = false;
  while (!stop.aborted) {
    if (ended !== undefined) return ended;
    if (!dropped && kubelet.lines.some(({ msg }) => msg === 'kubelet started')) {
      dropped = true;
      say(
        `dropping ${relative(process.cwd(), join(import.meta.dirname, MANIFEST))} into ${kubelet.manifestDir}`,
      );
      await kubelet.writeManifest(MANIFEST, manifest);
    }
    const pod = await findPod(kubelet);
    if (dropped)
      view.show(
        toPodSteps(
          pod,
          kubelet.lines.filter((line) => String(line['pod']).endsWith(`/${POD}`)),
        ),
      );
    if (pod !== undefined && isReady(pod)) return callPod(kubelet, pod);
    if (performance.now() - beganMs > READY_DEADLINE_MS)
      return `the pod is not ready after 2 minutes: ${describeTrouble(pod) ?? 'it is still starting'}`;
    await delay(LOOK_MS);
  }
  return undefined;
}

/** Runs the very command it prints and shows the answer. */
async function callPod(kubelet: KubeletProcess, pod: ListedPod): Promise<string | undefined> {
  const url = `http://${pod.status.podIP}:8080/index.txt`;
  say(`pod IP    ${pod.status.podIP}`);
  say(`try       curl ${url}`);
  try {
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--fail', '--max-time', '10', url]);
    say(`answer    ${stdout.trim()}`);
  } catch (error) {
    return `the pod is ready but does not answer: ${error instanceof Error ? error.message.trim() : error}`;
  }
  say(`root dir  ${kubelet.rootDir}`);
  say(`manifests ${kubelet.manifestDir}`);
  say(`log       ${kubelet.logFile}`);
  say(`pods      curl http://127.0.0.1:${kubelet.readOnlyPort}/pods`);
  say('three things to try, in another terminal:');
  say(`  1. look at it        ${await readPageAddress(kubelet)}`);
  say('  2. where time went   sudo bin/kubelet timeline web');
  say('  3. end the server and see it come back');
  say('                       sudo bin/kubelet exec web -- killall httpd; sudo bin/kubelet get pods -w');
  return undefined;
}

async function readPageAddress({ rootDir }: KubeletProcess): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(KUBELET, ['page', `--root-dir=${rootDir}`]);
    return stdout.trim();
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Prints what happens to pods until Ctrl-C, or until the kubelet ends. */
async function stayUp(kubelet: KubeletProcess, stop: AbortSignal): Promise<void> {
  say('running until Ctrl-C');
  using _lines = kubelet.onLine(({ msg, pod, state, ip, err, severity }) => {
    if (msg === 'pod status') say(`${pod}: ${state}${ip === undefined ? '' : ` (${ip})`}`);
    else if (msg === 'pod gone') say(`${pod}: gone`);
    else if (severity === 'error') say(`${msg}: ${err}`);
  });
  const { code } = (await Promise.race([whenAborted(stop), kubelet.ended])) ?? {};
  if (code !== undefined) explain(kubelet, `the kubelet ended with exit code ${code}`);
}

/** Ends every pod of the demo; manifests that the user added are kept aside. */
async function cleanUp(kubelet: KubeletProcess): Promise<void> {
  say('cleaning up: removing the manifest and waiting until the pod is gone');
  const others = (await readdir(kubelet.manifestDir)).filter((name) => name !== MANIFEST);
  if (others.length > 0) {
    const aside = join(DIRECTORY, 'saved-manifests');
    await mkdir(aside, { recursive: true });
    for (const name of others) await rename(join(kubelet.manifestDir, name), join(aside, name));
    say(`your ${others.length === 1 ? 'manifest is' : `${others.length} manifests are`} kept in ${aside}`);
  }
  await kubelet.removeManifest(MANIFEST);
  const left = await waitUntilGone(kubelet);
  if (left === undefined)
    return say('the kubelet does not answer: pods may be left, the next demo ends them');
  if (left.length > 0) return say(`still there: ${toNames(left)}; the next demo ends them`);
  say('the pod is gone; containerd stays for the next time (make host-down removes it)');
}

/** As long as their graces last, and a little longer. Answers what is left; undefined when that is not known. */
async function waitUntilGone(kubelet: KubeletProcess): Promise<readonly ListedPod[] | undefined> {
  const beganMs = performance.now();
  let said = '';
  for (;;) {
    const left = await kubelet.pods().catch(() => undefined);
    if (left === undefined || left.length === 0) return left;
    const names = toNames(left);
    const graceSeconds = Math.max(...left.map(toGraceSeconds));
    const isLate = performance.now() - beganMs > LATE_MS;
    if (isLate && names !== said) say(`waiting for ${names}, which may take ${graceSeconds}s to end`);
    if (isLate) said = names;
    if (performance.now() - beganMs > graceSeconds * 1000 + GONE_SLACK_MS) return left;
    await delay(LOOK_MS);
  }
}

function toGraceSeconds({ spec }: ListedPod): number {
  return spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

function toNames(pods: readonly ListedPod[]): string {
  return pods.map(({ metadata }) => metadata.name).join(', ');
}

function explain(kubelet: KubeletProcess, problem: string): void {
  say(`FAILED: ${problem}`);
  say(`the last lines of ${kubelet.logFile}:`);
  for (const line of kubelet.lines.slice(-SHOWN_LINES)) process.stdout.write(`    ${JSON.stringify(line)}\n`);
}

async function findPod(kubelet: KubeletProcess): Promise<ListedPod | undefined> {
  const pods = await kubelet.pods().catch(() => []);
  return pods.find(({ metadata }) => metadata.name === POD);
}

function isReady({ status }: ListedPod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

const once = !['', '0', undefined].includes(process.env['ONCE']);
process.exitCode = await main(once);
