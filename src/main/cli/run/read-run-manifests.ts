/**
 * The manifests of `kubelet run`: files, directories and standard input, checked before anything starts. What the
 * kubelet gets are copies in a directory of its own.
 */
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import {
  listManifests,
  type ManifestText,
  readManifest,
} from '../../../adapters/linux/manifest/list-manifests.ts';
import { errorText } from '../../../base/errors.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { fullName } from '../../../core/api/pod-identity.ts';
import { renderProblem } from '../../../core/manifest/manifest-problem.ts';
import { MAX_MANIFEST_BYTES } from '../../../core/manifest/parse-manifest.ts';
import { readStaticPods } from '../../../core/manifest/static-pod.ts';

const STANDARD_INPUT = '-';
/** In a directory, as kubectl has it. */
const MANIFEST_NAME = /\.(ya?ml|json)$/i;

export interface RunManifest {
  /** As people know it. */
  readonly source: string;
  /** A file name of our own. */
  readonly name: string;
  readonly text: string;
}

export interface RunManifests {
  readonly manifests: readonly RunManifest[];
  readonly pods: readonly Pod[];
  /** One line each; with any of them nothing is started. */
  readonly problems: readonly string[];
  /** Absolute paths, or a word for standard input: what the run is known by. */
  readonly sources: readonly string[];
}

interface FoundText {
  readonly source: string;
  readonly content: ManifestText;
}

/** Never rejects: what cannot be read is a problem. */
export async function readRunManifests(
  words: readonly string[],
  stdin: Readable,
  nodeName: string,
): Promise<RunManifests> {
  const found: FoundText[] = [];
  for (const word of new Set(words)) found.push(...(await readWord(word, stdin)));
  const manifests: RunManifest[] = [];
  const pods = new Map<string, Pod>();
  const problems: string[] = [];
  for (const { source, content } of found) {
    if ('error' in content) {
      problems.push(`${source}: ${content.error}`);
      continue;
    }
    const name = `${String(manifests.length).padStart(3, '0')}-${toFileName(source)}`;
    manifests.push({ source, name, text: content.text });
    const { secretProblem } = content;
    const read = readStaticPods(content.text, source, nodeName, { isStandalone: true, secretProblem });
    problems.push(...read.problems.map(renderProblem));
    for (const pod of read.pods) {
      const key = fullName(pod);
      if (pods.has(key)) problems.push(`${source}: pod ${JSON.stringify(key)} is in two manifests`);
      pods.set(key, pod);
    }
  }
  if (problems.length === 0 && pods.size === 0) problems.push(`no pod in ${words.join(', ')}`);
  return { manifests, pods: [...pods.values()], problems, sources: words.map(toSource) };
}

function toSource(word: string): string {
  return word === STANDARD_INPUT ? `stdin-${process.pid}` : resolve(word);
}

async function readWord(word: string, stdin: Readable): Promise<FoundText[]> {
  if (word === STANDARD_INPUT) return [{ source: 'standard input', content: await readInput(stdin) }];
  const found = await stat(word).catch((error: unknown) => errorText(error));
  if (typeof found === 'string') return [{ source: word, content: { error: `cannot read it: ${found}` } }];
  if (!found.isDirectory()) return [{ source: word, content: await readManifest(word) }];
  const listing = await listManifests(word);
  const files = listing.kind === 'files' ? listing.files.filter(({ path }) => MANIFEST_NAME.test(path)) : [];
  if (files.length === 0)
    return [{ source: word, content: { error: 'the directory holds no .yaml, .yml or .json file' } }];
  return Promise.all(
    files.map(async ({ path }) => ({
      source: join(word, basename(path)),
      content: await readManifest(path),
    })),
  );
}

async function readInput(stdin: Readable): Promise<ManifestText> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    length += (chunk as Buffer).length;
    if (length > MAX_MANIFEST_BYTES) return { error: 'the manifest is larger than 10 MiB' };
    chunks.push(chunk as Buffer);
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return { error: 'it is not UTF-8 text' };
  }
}

/** Its own word, so that no name of a file is passed over by the kubelet. */
function toFileName(source: string): string {
  const plain = basename(source)
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64);
  return `${plain}.yaml`;
}
