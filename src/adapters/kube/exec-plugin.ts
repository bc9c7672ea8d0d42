/**
 * Credentials from a program (client.authentication.k8s.io): it is run with an
 * argument list, never a shell, gets what it must know in KUBERNETES_EXEC_INFO
 * and answers with an ExecCredential on stdout. Its stderr is shown when it
 * fails; its stdout never, as it holds the secrets.
 */
import { spawn } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { Fields } from './kubeconfig-fields.ts';
import { Secret } from './secret.ts';
import { type ClientCertificate, toClientCertificate } from './tls-material.ts';

const GROUP = 'client.authentication.k8s.io';
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const MAX_OUTPUT_BYTES = 1024 * 1024;
const SHOWN_STDERR = 2000;

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
  readonly client?: ClientCertificate;
  /** Milliseconds since the epoch; never when undefined. */
  readonly expiresAtMs?: number;
}

/** Reads the `exec` map of a user; a relative command path is relative to `directory`. */
export function parseExecPlugin(fields: Fields, directory: string): ExecPlugin {
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
  /** Told to plugins that ask for it: server, authority, … of the cluster. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Runs the plugin once. Rejects with AgentError that holds its stderr. */
export async function runExecPlugin(plugin: ExecPlugin, settings: ExecSettings): Promise<ExecCredential> {
  const output = await runProgram(plugin, settings);
  return parseExecCredential(output, plugin);
}

function runProgram(plugin: ExecPlugin, settings: ExecSettings): Promise<string> {
  const { cluster, environment, clock, timeoutMs } = settings;
  const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  const child = spawn(plugin.command, [...plugin.args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...plugin.env, KUBERNETES_EXEC_INFO: info },
  });
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_OUTPUT_BYTES) stdout.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-SHOWN_STDERR);
  });
  const deadline = clock.startTimer(timeoutMs, () => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      deadline[Symbol.dispose]();
      const hint = plugin.installHint === '' ? '' : `; ${plugin.installHint.trim()}`;
      reject(failed(plugin, `${error.message}${hint}`));
    });
    child.once('close', (code, signal) => {
      deadline[Symbol.dispose]();
      const said = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
      if (code !== 0)
        reject(failed(plugin, code === null ? `ended by ${signal}${said}` : `exit code ${code}${said}`));
      else if (size > MAX_OUTPUT_BYTES) reject(failed(plugin, 'its output is too long'));
      else resolve(Buffer.concat(stdout).toString('utf8'));
    });
  });
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
    ...(client === undefined ? {} : { client }),
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
