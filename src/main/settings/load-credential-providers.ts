/**
 * Reads the configuration of credential plugins from a file or from all files
 * of a directory, and looks for their executables. Whatever is wrong keeps the
 * kubelet from starting: it would otherwise fail at the first pull, on a node
 * that looks well.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { AgentError, errorText } from '../../base/errors.ts';
import {
  type CredentialProvider,
  findProviderProblems,
  parseProviderConfig,
} from '../../core/image/credential-provider.ts';

const FILES = /\.(?:json|ya?ml)$/;

export interface CredentialProviderFiles {
  /** File or directory. */
  readonly configPath: string;
  readonly binDir: string;
  /** Gate KubeletServiceAccountTokenForCredentialProviders. */
  readonly allowTokens: boolean;
}

export interface LoadedProviders {
  readonly providers: readonly CredentialProvider[];
  /** Of all that was read; upstream's form, to compare nodes by. */
  readonly configHash: string;
}

/** None unless both paths are set. Rejects with AgentError that names every problem. */
export async function loadCredentialProviders(
  files: CredentialProviderFiles,
): Promise<LoadedProviders | undefined> {
  const { configPath, binDir, allowTokens } = files;
  if (configPath === '' || binDir === '') return undefined;
  try {
    await stat(binDir);
  } catch (error) {
    throw problem(`plugin binary directory ${binDir} cannot be used: ${errorText(error)}`);
  }
  const providers: CredentialProvider[] = [];
  const hash = createHash('sha256');
  for (const path of await listFiles(configPath)) {
    const content = await readBytes(path);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(content.length));
    hash.update(length).update(content);
    const parsed = parseProviderConfig(parseYaml(path, content.toString('utf8')), allowTokens);
    if (!parsed.ok) throw problem(`"${path}": ${parsed.problems.join('; ')}`);
    providers.push(...parsed.providers);
  }
  const problems = findProviderProblems(providers);
  if (problems.length > 0) throw problem(problems.join('; '));
  for (const { name } of providers) await checkExecutable(join(binDir, name));
  return { providers, configHash: `sha256:${hash.digest('hex')}` };
}

async function listFiles(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && FILES.test(entry.name))
      .map(({ name }) => name);
    if (names.length === 0) throw new Error('it holds no configuration files');
    return names.sort().map((name) => join(path, name));
  } catch (error) {
    throw problem(`unable to access path "${path}": ${errorText(error)}`);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw problem(`unable to read file "${path}": ${errorText(error)}`);
  }
}

function parseYaml(path: string, text: string): unknown {
  // Repeated keys are errors here, as upstream decodes it.
  const document = parseDocument(text, { version: '1.1', uniqueKeys: true });
  if (document.errors.length > 0) throw problem(`"${path}": ${document.errors[0]?.message}`);
  return document.toJS();
}

async function checkExecutable(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  } catch (error) {
    throw problem(`plugin binary executable ${path} cannot be used: ${errorText(error)}`);
  }
}

function problem(why: string): AgentError {
  return new AgentError('invalid-argument', `cannot set up credential providers: ${why}`);
}
