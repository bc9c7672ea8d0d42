/**
 * Reads a kubeconfig: which API server to talk to and as whom. Only the entry
 * of the current context is looked at. Paths in it are relative to the file;
 * `*-data` fields win over their file fields. Files that it points to are read
 * later, by CredentialSource, because they change while the agent runs.
 *
 * Every mistake is an AgentError that names the file, the line and the field.
 */
import { dirname, resolve } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { parseYaml, type YamlDocument } from '../../../core/manifest/parse-yaml.ts';
import type { CredentialFiles } from './credential-files.ts';
import { type ExecPlugin, parseExecPlugin } from './exec-plugin.ts';
import { KubeconfigFields } from './kubeconfig-fields.ts';
import { Secret } from './secret.ts';

/** A text given inline, or a file that holds it. */
export type Material =
  | { readonly kind: 'data'; readonly text: Secret; readonly from: string }
  | { readonly kind: 'file'; readonly path: string };

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

export interface KubeUser {
  readonly certificate?: Material;
  readonly key?: Material;
  /** A token file wins over a token, as it may be renewed. */
  readonly token?: Material;
  readonly basic?: { readonly username: string; readonly password: Secret };
  readonly exec?: ExecPlugin;
  readonly impersonate?: Impersonation;
}

export interface Kubeconfig {
  readonly path: string;
  /** With the path that precedes every API path, if any. */
  readonly server: URL;
  readonly ca?: Material;
  readonly tlsServerName?: string;
  /** Accept any server certificate. */
  readonly insecure: boolean;
  readonly proxyUrl?: URL;
  readonly namespace: string;
  readonly user: KubeUser;
}

/** Reads and checks the file at `path`. Rejects with `not-found` or `invalid-argument`. */
export async function loadKubeconfig(
  path: string,
  files: Pick<CredentialFiles, 'read'>,
): Promise<Kubeconfig> {
  const text = await files.read(path, 'kubeconfig');
  return parseKubeconfig(text, resolve(path));
}

/** The same for a text that is at hand; `path` gives relative paths their meaning. */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const root = new KubeconfigFields(path, parseDocument(text, path));
  root.expectKind('Config');
  const contextName = root.text('current-context');
  if (contextName === undefined || contextName === '')
    throw root.problem('', 'has no current-context: nothing says which cluster to use');
  const context = root.named('contexts', contextName, 'context', 'current-context');
  const clusterName = context.required('cluster');
  const cluster = root.named('clusters', clusterName, 'cluster', context.pathOf('cluster'));
  const userName = context.text('user') ?? '';
  const user = userName === '' ? undefined : root.named('users', userName, 'user', context.pathOf('user'));
  return {
    path,
    ...toCluster(cluster, path),
    namespace: context.text('namespace') || 'default',
    user: user === undefined ? {} : toUser(user, path),
  };
}

function parseDocument(text: string, path: string): YamlDocument {
  const documents = parseYaml(text);
  const [document] = documents;
  if (document === undefined) throw new AgentError('invalid-argument', `kubeconfig "${path}" is empty`);
  const broken = documents.find(({ error }) => error !== undefined)?.error;
  if (broken !== undefined) {
    const message = `cannot parse kubeconfig "${path}", line ${broken.line}: ${broken.message}`;
    throw new AgentError('invalid-argument', message);
  }
  return document;
}

function toCluster(
  fields: KubeconfigFields,
  path: string,
): Pick<Kubeconfig, 'server' | 'ca' | 'tlsServerName' | 'insecure' | 'proxyUrl'> {
  const ca = toMaterial(fields, 'certificate-authority', path);
  const insecure = fields.flag('insecure-skip-tls-verify');
  if (insecure && ca !== undefined)
    throw fields.problem(
      'insecure-skip-tls-verify',
      'is set together with a certificate authority: use one of them',
    );
  const tlsServerName = fields.text('tls-server-name');
  const proxyUrl = fields.url('proxy-url', ['http:', 'https:']);
  return {
    server: toServer(fields),
    insecure,
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function toServer(fields: KubeconfigFields): URL {
  fields.required('server');
  const server = fields.url('server', ['https:', 'http:'], 'https://');
  if (server === undefined) throw fields.problem('server', 'is missing');
  if (server.search !== '' || server.hash !== '')
    throw fields.problem('server', 'must not have a query or fragment');
  return server;
}

function toUser(fields: KubeconfigFields, path: string): KubeUser {
  if (fields.has('auth-provider'))
    throw fields.problem('auth-provider', 'is no longer supported: use an exec plugin');
  const certificate = toMaterial(fields, 'client-certificate', path);
  const key = toMaterial(fields, 'client-key', path);
  if (certificate !== undefined && key === undefined)
    throw fields.problem('', 'has a client-certificate but no client-key');
  if (certificate === undefined && key !== undefined)
    throw fields.problem('', 'has a client-key but no client-certificate');
  const token = toToken(fields, path);
  const username = fields.text('username');
  const execFields = fields.child('exec');
  const exec = execFields === undefined ? undefined : parseExecPlugin(execFields, dirname(path));
  const impersonate = toImpersonation(fields);
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(username === undefined
      ? {}
      : { basic: { username, password: new Secret(fields.text('password') ?? '') } }),
    ...(exec === undefined ? {} : { exec }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function toToken(fields: KubeconfigFields, path: string): Material | undefined {
  const file = fields.text('tokenFile');
  if (file !== undefined && file !== '') return { kind: 'file', path: resolve(dirname(path), file) };
  const token = fields.text('token');
  if (token === undefined || token === '') return undefined;
  return { kind: 'data', text: new Secret(token), from: fields.describe('token') };
}

function toImpersonation(fields: KubeconfigFields): Impersonation | undefined {
  const user = fields.text('as');
  const groups = fields.texts('as-groups');
  const uid = fields.text('as-uid');
  if (user === undefined) {
    if (groups.length > 0 || uid !== undefined)
      throw fields.problem('as', 'is missing beside as-groups or as-uid');
    return undefined;
  }
  return { user, groups, ...(uid === undefined ? {} : { uid }) };
}

/** `<name>-data` decoded, or else the file `<name>`. */
function toMaterial(fields: KubeconfigFields, name: string, path: string): Material | undefined {
  const data = fields.text(`${name}-data`);
  if (data !== undefined && data !== '') {
    const from = fields.describe(`${name}-data`);
    return { kind: 'data', text: new Secret(fields.base64(`${name}-data`)), from };
  }
  const file = fields.text(name);
  return file === undefined || file === '' ? undefined : { kind: 'file', path: resolve(dirname(path), file) };
}
