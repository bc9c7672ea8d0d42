/**
 * With which settings the machine is looked at: those that were named, those of the kubelet that runs, those at a
 * usual place, or defaults. Reads only; what cannot be used is a finding, and the rest is looked at with defaults.
 */
import { readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readBounded } from '../../../adapters/linux/files/read-bounded.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { CliOptions } from '../../config/cli/cli-options.ts';
import { hostConfigurationFiles } from '../../config/load/host-configuration-files.ts';
import {
  type LoadedConfiguration,
  type LoadHost,
  loadConfiguration,
} from '../../config/load/load-configuration.ts';
import type { ConfigurationFacts } from './judge-settings.ts';

/** Files of our package, and of kubeadm. */
const USUAL_CONFIGS = ['etc/kubernetes/kubelet.yaml', 'var/lib/kubelet/config.yaml'];
const USUAL_KUBECONFIG = 'etc/kubernetes/kubelet.conf';
const MAX_BYTES = 1024 * 1024;

export interface DoctorSettings {
  readonly loaded: LoadedConfiguration;
  readonly about: ConfigurationFacts;
}

export interface SettingsSources {
  readonly options: Pick<CliOptions, 'config' | 'kubeconfig' | 'certDir'>;
  readonly rootDir: string;
  /** The kubelet with this root directory; undefined when none runs. */
  readonly pid: number | undefined;
  /** `/`, or another place for tests. */
  readonly root: string;
  readonly files?: LoadHost;
}

export async function readDoctorSettings(sources: SettingsSources): Promise<DoctorSettings> {
  const { options, rootDir, root } = sources;
  // Which version of cgroups there is has a finding of its own.
  const files = { ...(sources.files ?? hostConfigurationFiles()), cgroupVersion: undefined };
  const chosen = await chooseFlags(sources);
  const { cwd = files.cwd, from } = chosen;
  const extra = [
    ...(options.kubeconfig === undefined ? [] : [`--kubeconfig=${resolve(options.kubeconfig)}`]),
    ...(options.certDir === undefined ? [] : [`--cert-dir=${resolve(options.certDir)}`]),
    `--root-dir=${rootDir}`,
  ];
  const flags = [...chosen.flags, ...extra];
  const unreadable = await findUnreadable(flags, cwd);
  const outcome =
    unreadable === undefined ? loadConfiguration(flags, { ...files, cwd }) : { kind: 'unreadable' as const };
  if (outcome.kind === 'loaded') {
    const warnings = outcome.warnings.map(({ message }) => message);
    return { loaded: outcome, about: { from, problems: [], warnings } };
  }
  const problems =
    outcome.kind === 'rejected' ? outcome.problems : [unreadable ?? `${from} only prints and ends`];
  const defaults = loadConfiguration(extra, { ...files, cwd: root });
  if (defaults.kind !== 'loaded') throw new AgentError('invalid-argument', problems.join('; '));
  return { loaded: defaults, about: { from, problems, warnings: [] } };
}

interface ChosenFlags {
  readonly flags: readonly string[];
  readonly from: string;
  /** What relative paths in them mean. */
  readonly cwd?: string;
}

async function chooseFlags({ options, pid, root }: SettingsSources): Promise<ChosenFlags> {
  if (options.config !== undefined) {
    const path = resolve(options.config);
    return { flags: [`--config=${path}`], from: path };
  }
  if (pid !== undefined) {
    const directory = join(root, 'proc', String(pid));
    const line = await readBounded(join(directory, 'cmdline'), { maxBytes: MAX_BYTES }).catch(() =>
      Buffer.of(),
    );
    const cwd = await readlink(join(directory, 'cwd')).catch(() => undefined);
    const from = `the command line of process ${pid}`;
    if (line.length > 0)
      return { flags: toKubeletFlags(line.toString()), from, ...(cwd === undefined ? {} : { cwd }) };
  }
  for (const name of USUAL_CONFIGS) {
    const path = join(root, name);
    if (!(await isThere(path))) continue;
    const kubeconfig = join(root, USUAL_KUBECONFIG);
    const inCluster = name !== USUAL_CONFIGS[0] && (await isThere(kubeconfig));
    return { flags: [`--config=${path}`, ...(inCluster ? [`--kubeconfig=${kubeconfig}`] : [])], from: path };
  }
  return { flags: [], from: 'the default configuration' };
}

/** The arguments of a kubelet in `/proc/PID/cmdline`: behind the script, where Node runs one. */
export function toKubeletFlags(commandLine: string): string[] {
  const words = commandLine.replace(/\0$/, '').split('\0');
  const script = words.findIndex(
    (word, at) => at > 0 && !word.startsWith('-') && /\.(cjs|js|ts)$/.test(word),
  );
  return words.slice(Math.max(script, 0) + 1);
}

/** Loading reads at once, without a limit: a pipe, or a server that is gone, must not be waited for. */
async function findUnreadable(flags: readonly string[], cwd: string): Promise<string | undefined> {
  const [, path] = /^--config=(.+)$/.exec(flags.find((flag) => flag.startsWith('--config=')) ?? '') ?? [];
  if (path === undefined) return undefined;
  try {
    await readBounded(resolve(cwd, path), { maxBytes: MAX_BYTES, followsLinks: true });
    return undefined;
  } catch (error) {
    return error instanceof AgentError
      ? errorText(error)
      : `cannot read ${JSON.stringify(path)}: ${errorText(error)}`;
  }
}

function isThere(path: string): Promise<boolean> {
  return readBounded(path, { maxBytes: MAX_BYTES, followsLinks: true }).then(
    () => true,
    () => false,
  );
}
