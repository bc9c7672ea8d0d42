/**
 * Makes the pictures of the terminal in docs/terminal: what the commands write to a real terminal about a node with real
 * containers, of which one crashes, one has no image and one manifest is wrong. Paths of this machine are shown as those
 * of an installed kubelet. `make terminal-pictures` runs it.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { renderTerminal } from '../../scripts/demo/render-terminal.ts';
import { containerdEndpoint, type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod, scriptPod, sleepingPod } from './sample-pods.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'terminal');
const COLUMNS = 100;

const COMMANDS: readonly (readonly [name: string, command: string])[] = [
  ['pods', 'get pods'],
  ['explain', 'explain'],
  ['timeline', 'timeline shop'],
  ['tree', 'tree shop'],
  ['top', 'top pods'],
  ['doctor', 'doctor'],
];

async function writeManifests(node: TestNode): Promise<void> {
  const volumes = [{ name: 'cache', emptyDir: {} }];
  const mount = { volumeMounts: [{ name: 'cache', mountPath: '/cache' }] };
  const web = { name: 'web', image: DEMO_WEB, imagePullPolicy: 'IfNotPresent', ...mount };
  const side = container('refresh', ['sh', '-c', 'while true; do date; sleep 1; done'], mount);
  await node.writeManifest('shop.yaml', samplePod('shop', { volumes, containers: [web, side] }));
  await node.writeManifest('queue.yaml', sleepingPod('queue'));
  await node.writeManifest('crash.yaml', scriptPod('crash', 'echo "cannot open /data/db"; sleep 1; exit 3'));
  const missing = { containers: [{ name: 'main', image: 'localhost:1/nope:1' }] };
  await node.writeManifest('report.yaml', samplePod('report', missing));
  const wrong = 'apiVersion: v1\nkind: Pod\nmetadata: { name: typo }\nspec: { contaners: [] }\n';
  await node.writeManifest('typo.yaml', wrong);
}

/** In a terminal of its own: script(1) makes one. An exit code of the command is no failure here. */
async function runInTerminal(node: TestNode, command: string): Promise<string> {
  const program = `stty cols ${COLUMNS} rows 50; exec ${join(ROOT, 'bin', 'kubelet')} ${command}`;
  const env = {
    ...process.env,
    KUBELET_ROOT_DIR: node.kubelet.rootDir,
    TERM: 'xterm-256color',
    NO_COLOR: '',
  };
  const { stdout } = await promisify(execFile)('script', ['-qc', program, '/dev/null'], { env });
  return stdout;
}

/** Longest first, as one may be inside of another. */
function toUsualPaths(node: TestNode, text: string): string {
  const { rootDir, podLogsDir, manifestDir, cgroupRoot } = node.kubelet;
  const socket = containerdEndpoint().replace('unix://', '');
  const places: readonly (readonly [string, string])[] = [
    [socket, '/run/containerd/containerd.sock'],
    [join(dirname(socket), 'root'), '/var/lib/containerd'],
    [manifestDir, '/etc/kubernetes/manifests'],
    [podLogsDir, '/var/log/pods'],
    [rootDir, '/var/lib/kubelet'],
    [dirname(rootDir), '/var/lib/kubelet'],
    [cgroupRoot, ''],
  ];
  return places.reduce((shown, [from, to]) => shown.replaceAll(from, to), text);
}

await mkdir(PICTURES, { recursive: true });
await withNode({ nodeName: 'node1' }, async (node) => {
  await writeManifests(node);
  for (const name of ['shop', 'queue']) await node.waitReady(name);
  const isWaiting = async (): Promise<boolean> =>
    /CrashLoopBackOff[\s\S]*ImagePullBackOff/.test(await runInTerminal(node, 'get pods'));
  await node.waitFor('the pods in trouble to wait', isWaiting, 120_000);
  for (const [name, command] of COMMANDS) {
    const text = toUsualPaths(node, await runInTerminal(node, command));
    await writeFile(join(PICTURES, `${name}.svg`), renderTerminal(`kubelet ${command}`, text, COLUMNS));
  }
});
