/**
 * `images pull` and `images load`. A pull goes to the runtime of the kubelet, with the credentials that lie on the node
 * for all pods. An archive cannot be handed to a runtime through the interface that kubelets use; the answer is the
 * command of the runtime that can.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { connectCri } from '../../adapters/cri/connect-cri.ts';
import { parseEndpoint } from '../../adapters/cri/endpoint.ts';
import { inspectRuntime } from '../../adapters/cri/inspect-runtime.ts';
import { LinuxHostFiles } from '../../adapters/linux/files/host-files.ts';
import { SystemClock } from '../../adapters/linux/machine/system-clock.ts';
import { NodeDockerConfig, toDockerConfigDirectories } from '../../agent/image/node-docker-config.ts';
import { AgentError } from '../../base/errors.ts';
import { escapeLine } from '../../base/text/terminal-text.ts';
import { toRepository } from '../../core/image/image-repository.ts';
import { lookUpCredentials, toKeyring } from '../../core/image/keyring.ts';
import { type PullCredential, toRegistryCredential } from '../../core/image/registry-credential.ts';
import { toTaggedImage } from '../../core/spec/image-name.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { AboutNode } from '../../server/local-server.ts';
import { type CliContext, EXIT_FAILED } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';
import { Spinner } from './show/spinner.ts';

const CONNECT_MS = 10_000;
const SILENT = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {}, with: () => SILENT };

/** What the commands need of the world besides the kubelet. */
export interface ImageMeans {
  readonly connect: (endpoint: string) => {
    readonly images: Pick<ImageService, 'pullImage'>;
    close(): unknown;
  };
  readonly inspect: typeof inspectRuntime;
  readonly findCredentials: (rootDir: string, image: string) => Promise<readonly PullCredential[]>;
}

const THIS_MACHINE: ImageMeans = {
  connect: (endpoint) =>
    connectCri({ endpoint, requestTimeoutMs: CONNECT_MS, clock: new SystemClock(), logger: SILENT }),
  inspect: inspectRuntime,
  findCredentials: readCredentials,
};

export function changeImages(context: CliContext, means: ImageMeans = THIS_MACHINE): Promise<number> {
  const [action, what = ''] = context.asked.words;
  return action === 'pull' ? pullImage(context, what, means) : adviseLoading(context, what, means);
}

async function pullImage(context: CliContext, named: string, means: ImageMeans): Promise<number> {
  const { client, host } = context;
  const tagged = toTaggedImage(named);
  if (!tagged.ok) throw new AgentError('invalid-argument', tagged.message);
  const image = tagged.value;
  const cri = means.connect(await readEndpoint(context));
  using spinner = new Spinner(host, `pulling ${image}`);
  try {
    const credentials = await means.findCredentials(client.rootDir, image);
    const id = await pullWithAny(cri.images, image, credentials, host.signal);
    spinner.stop();
    printText(host.stdout, `${escapeLine(image)}: ${escapeLine(id)}\n`);
    return 0;
  } finally {
    await cri.close();
  }
}

/** One after the other until one is good; without any, anonymously. */
async function pullWithAny(
  images: Pick<ImageService, 'pullImage'>,
  image: string,
  credentials: readonly PullCredential[],
  signal: AbortSignal,
): Promise<string> {
  const options = { signal, label: 'images pull' };
  if (credentials.length === 0) return images.pullImage(image, options);
  let failed: unknown;
  for (const found of credentials) {
    try {
      return await images.pullImage(image, { ...options, credential: toRegistryCredential(found) });
    } catch (error) {
      failed = error;
    }
  }
  throw failed;
}

async function readCredentials(rootDir: string, image: string): Promise<readonly PullCredential[]> {
  const directories = toDockerConfigDirectories(rootDir, process.cwd(), homedir());
  const parts = { clock: new SystemClock(), logger: SILENT, files: new LinuxHostFiles(), directories };
  const config = await new NodeDockerConfig(parts).read();
  return lookUpCredentials(toKeyring([{ source: { kind: 'node' }, config }]), toRepository(image));
}

async function adviseLoading(context: CliContext, file: string, means: ImageMeans): Promise<number> {
  const endpoint = await readEndpoint(context);
  const facts = await means.inspect(endpoint);
  const name = 'problem' in facts ? undefined : facts.name;
  const how = toImportCommand(name, parseEndpoint(endpoint).socketPath, resolve(file));
  const why = 'the interface between kubelets and runtimes cannot import archives; the runtime itself can';
  printText(
    context.host.stderr,
    `kubelet images load: ${why}:\n  ${escapeLine(how)}\nThen: kubelet images\n`,
  );
  return EXIT_FAILED;
}

/** `name` as the runtime calls itself. */
export function toImportCommand(name: string | undefined, socketPath: string, file: string): string {
  if (name === 'cri-o') return `skopeo copy oci-archive:${quote(file)} containers-storage:NAME:TAG`;
  if (name === 'docker') return `docker load -i ${quote(file)}`;
  return `ctr --address ${quote(socketPath)} --namespace k8s.io images import ${quote(file)}`;
}

/** For a shell. */
function quote(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function readEndpoint({ client }: CliContext): Promise<string> {
  const { runtimeEndpoint } = await client.getJson<AboutNode>('/about');
  if (runtimeEndpoint === undefined)
    throw new AgentError('unavailable', 'this kubelet does not say where its runtime is: it is an older one');
  return runtimeEndpoint;
}
