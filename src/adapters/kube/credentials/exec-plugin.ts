/**
 * Credentials from a program (client.authentication.k8s.io): it is run with an
 * argument list, never a shell, gets what it must know in KUBERNETES_EXEC_INFO
 * and answers with an ExecCredential on stdout. Its stderr is shown when it
 * fails; its stdout never, as it holds the secrets.
 */
import { isAbsolute, resolve } from 'node:path';
import type { Clock } from '../../../base/async/clock.ts';
import { AgentError } from '../../../base/errors.ts';
import { askProgram } from '../../linux/program/ask-program.ts';
import type { KubeconfigFields } from './kubeconfig-fields.ts';
import { Secret } from './secret.ts';
import { type ClientCertificate, toClientCertificate } from './tls-material.ts';

const GROUP = 'client.authentication.k8s.io';
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
}

export interface ExecCredential {
  readonly token?: Secret;
  readonly client?: ClientCertificate | undefined;
  /** Milliseconds since the epoch; never when undefined. */
  readonly expiresAtMs?: number;
}

/** Reads the `exec` map of a user; a relative command path is relative to `directory`. */
export function parseExecPlugin(fields: KubeconfigFields, directory: string): ExecPlugin {
  const apiVersion = fields.required('apiVersion');
  if (!VERSIONS.includes(apiVersion))
    throw fields.problem('apiVersion', `is not supported; use ${VERSIONS.join(' or ')}`);
  const mode = fields.text('interactiveMode');
  if (mode === undefined && apiVersion.endsWith('/v1')) throw fields.problem('interactiveMode', 'is missing');
  if (mode === 'Always') throw fields.problem('interactiveMode', 'is Always, but an agent has no terminal');
  if (mode !== undefined && mode !== 'Never' && mode !== 'IfAvailable')
    throw fields.problem('interactiveMode', 'must be Never, IfAvailable or Always');
  const command = fields.required('command');
  const isPath = command.includes('/');
  return {
    apiVersion,
    command: isPath && !isAbsolute(command) ? resolve(directory, command) : command,
    args: fields.texts('args'),
    env: Object.fromEntries(
      fields.children('env').map((one) => [one.required('name'), one.text('value') ?? '']),
    ),
    installHint: fields.text('installHint') ?? '',
    provideClusterInfo: fields.flag('provideClusterInfo'),
  };
}

export interface ExecSettings {
  /** Passed to plugins that ask for it: server, authority, … of the cluster. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Runs the plugin once. Rejects with AgentError that holds its stderr. */
export async function runExecPlugin(plugin: ExecPlugin, settings: ExecSettings): Promise<ExecCredential> {
  const output = await askPlugin(plugin, settings);
  return parseExecCredential(output, plugin);
}

async function askPlugin(plugin: ExecPlugin, settings: ExecSettings): Promise<string> {
  const { cluster, environment, clock, timeoutMs } = settings;
  const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  const end = await askProgram({
    command: plugin.command,
    args: plugin.args,
    env: { ...environment, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    timeoutMs,
    clock,
  });
  if (end.kind === 'ended') return end.stdout;
  const hint = end.isMissing && plugin.installHint !== '' ? `; ${plugin.installHint.trim()}` : '';
  const said = end.stderr === '' ? '' : `: ${end.stderr}`;
  throw failed(plugin, `${end.why}${hint}${said}`);
}

interface ExecAnswer {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly status?: Readonly<Record<string, unknown>> | null;
}

function parseExecCredential(text: string, plugin: ExecPlugin): ExecCredential {
  const answer = parseJson(text);
  if (answer === undefined || answer.kind !== 'ExecCredential')
    throw failed(plugin, 'its output is not an ExecCredential');
  if (answer.apiVersion !== plugin.apiVersion)
    throw failed(plugin, `it answered as ${JSON.stringify(answer.apiVersion)}, not ${plugin.apiVersion}`);
  const field = (name: string): string => {
    const value = answer.status?.[name];
    return typeof value === 'string' ? value : '';
  };
  const token = field('token');
  const certificate = field('clientCertificateData');
  const key = field('clientKeyData');
  if (token === '' && certificate === '')
    throw failed(plugin, 'its answer has neither a token nor a certificate');
  if ((certificate === '') !== (key === ''))
    throw failed(plugin, 'its answer has only one of certificate and key');
  const from = `the answer of exec plugin "${plugin.command}"`;
  const client =
    certificate === '' ? undefined : toClientCertificate({ text: certificate, from }, { text: key, from });
  const expiresAtMs = Date.parse(field('expirationTimestamp'));
  return {
    ...(token === '' ? {} : { token: new Secret(token) }),
    client,
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  };
}

function parseJson(text: string): ExecAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function failed(plugin: ExecPlugin, why: string): AgentError {
  return new AgentError('unavailable', `cannot get credentials from exec plugin "${plugin.command}": ${why}`);
}
