/**
 * The kubeconfig that a node writes for itself once it asks for a certificate
 * of its own: the cluster of the bootstrap kubeconfig, with the node's
 * certificate in place of the bootstrap credentials.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorText, hasCode } from '../../../base/errors.ts';
import { isExpired } from '../../../core/certificate/decide-rotation.ts';
import { replaceFile } from '../../linux/files/atomic-file.ts';
import { toHostError } from '../../linux/host-error.ts';
import { parseCertificatePair } from '../../tls/parse-certificate-pair.ts';
import type { CredentialFiles } from './credential-files.ts';
import { type Kubeconfig, loadKubeconfig, type Material } from './kubeconfig.ts';

/** YAML text; `pemPath` leads to certificate and key in one file. */
export function renderNodeKubeconfig(bootstrap: Kubeconfig, pemPath: string): string {
  const { server, ca, insecure, tlsServerName, proxyUrl } = bootstrap;
  const cluster = {
    server: server.href.replace(/\/$/, ''),
    ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : toAuthority(ca)),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl.href }),
  };
  const user = { 'client-certificate': pemPath, 'client-key': pemPath };
  const context = { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' };
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    ...renderEntry('cluster', 'default-cluster', cluster),
    'contexts:',
    ...renderEntry('context', 'default-context', context),
    'users:',
    ...renderEntry('user', 'default-auth', user),
    'current-context: default-context',
    '',
  ].join('\n');
}

/** Rejects with AgentError. */
export async function writeNodeKubeconfig(
  path: string,
  bootstrap: Kubeconfig,
  pemPath: string,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await replaceFile(path, { content: renderNodeKubeconfig(bootstrap, pemPath), mode: 0o600 });
  } catch (error) {
    throw toHostError('write', path, error);
  }
}

export interface Usability {
  readonly usable: boolean;
  /** Why it is not, when it is there at all. */
  readonly problem?: string;
}

/** Whether the kubeconfig has a client certificate that can be used now, so that no bootstrap is needed. */
export async function checkNodeKubeconfig(
  path: string,
  files: CredentialFiles,
  nowMs: number,
): Promise<Usability> {
  if ((await files.fingerprint(path)) === undefined) return { usable: false };
  try {
    const { user } = await loadKubeconfig(path, files);
    if (user.certificate === undefined || user.key === undefined)
      return { usable: false, problem: 'it has no client certificate' };
    const read = (material: Material): Promise<string> | string =>
      material.kind === 'data' ? material.text.reveal() : files.read(material.path, 'client certificate');
    const pair = parseCertificatePair(await read(user.certificate), await read(user.key), 'it');
    return isExpired(pair, nowMs)
      ? { usable: false, problem: 'its certificate has expired' }
      : { usable: true };
  } catch (error) {
    if (hasCode(error, 'permission-denied')) throw error;
    return { usable: false, problem: errorText(error) };
  }
}

function toAuthority(ca: Material): Record<string, string> {
  return ca.kind === 'file'
    ? { 'certificate-authority': ca.path }
    : { 'certificate-authority-data': Buffer.from(ca.text.reveal()).toString('base64') };
}

/** JSON strings are YAML strings. */
function renderEntry(
  kind: string,
  name: string,
  fields: Readonly<Record<string, string | boolean>>,
): string[] {
  const lines = Object.entries(fields).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`);
  return [`- name: ${name}`, `  ${kind}:`, ...lines];
}
