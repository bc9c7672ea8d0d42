/** A first look at a runtime, before a kubelet relies on it: `kubelet run` and `kubelet doctor`. */
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { RuntimeCondition } from '../../ports/runtime/container-runtime.ts';
import { SystemClock } from '../linux/machine/system-clock.ts';
import { type CriConnection, connectCri } from './connect-cri.ts';
import { POD_OWNER_LABEL } from './pod-owner.ts';

const PATIENCE_MS = 10_000;

export interface RuntimeFacts {
  readonly name: string;
  readonly version: string;
  /** RuntimeReady and NetworkReady. */
  readonly conditions: readonly RuntimeCondition[];
  /** Undefined where the runtime does not say. */
  readonly cgroupDriver: 'systemd' | 'cgroupfs' | undefined;
  /** Where images are. */
  readonly imageDirectories: readonly string[];
  /** Pods that run and were made by a kubelet that shares its runtime with no other. */
  readonly podsOfOthers: readonly string[];
}

/** A value says what is wrong: the runtime does not answer, or has no CRI. */
export async function inspectRuntime(endpoint: string): Promise<RuntimeFacts | { readonly problem: string }> {
  let cri: CriConnection | undefined;
  try {
    cri = connectCri({ endpoint, requestTimeoutMs: PATIENCE_MS, clock: new SystemClock(), logger: SILENT });
    return await readFacts(cri, { signal: AbortSignal.timeout(PATIENCE_MS), label: 'look' });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (hasCode(error, 'unimplemented'))
      return {
        problem:
          'it runs, but its CRI plugin is disabled: remove "cri" from disabled_plugins in /etc/containerd/config.toml and restart it',
      };
    return { problem: errorText(error) };
  } finally {
    await cri?.close();
  }
}

async function readFacts(
  { reader, images }: CriConnection,
  options: { readonly signal: AbortSignal; readonly label: string },
): Promise<RuntimeFacts> {
  const { runtimeName: name, runtimeVersion: version } = await reader.version(options);
  const { conditions } = await reader.status(options);
  const sandboxes = await reader.listSandboxes(undefined, options);
  const { images: places } = await images.imageFsInfo(options);
  return {
    name,
    version,
    conditions,
    cgroupDriver: await reader.cgroupDriver(options),
    imageDirectories: places.map(({ mountpoint }) => mountpoint),
    podsOfOthers: sandboxes
      .filter(({ ready, labels }) => ready && labels[POD_OWNER_LABEL] === undefined)
      .map(({ podNamespace, podName }) => `${podNamespace}/${podName}`),
  };
}

const SILENT = {
  info: () => {},
  warn: () => {},
  error: () => {},
  debug: () => {},
  with: () => SILENT,
};
