/**
 * `cp`: files between this machine and a container, by the program tar of the container in a session of exec. The
 * archive that comes from a container is read here (cp/tar-reader.ts) and written below one directory (cp/place-files.ts).
 */
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { onAbort } from '../../base/async/on-abort.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import {
  CHANNEL_PROTOCOL,
  runChannelSession,
  type SessionEnd,
  type SessionStreams,
} from './ask/channel-session.ts';
import { type CliContext, EXIT_FAILED, EXIT_USAGE } from './ask/cli-context.ts';
import type { MessageConnection } from './ask/web-socket-client.ts';
import { chooseContainer, readPod, toPath, toPodParts } from './cli-pod.ts';
import { type CopyWay, toContainerParts, toCopyWay, toOperand } from './cp/copy-places.ts';
import { CopyProgress } from './cp/copy-progress.ts';
import { type Placement, placeFiles } from './cp/place-files.ts';
import { readTar } from './cp/tar-reader.ts';
import { writeTar } from './cp/tar-writer.ts';
import { printText } from './show/print-text.ts';

const NO_PROGRAM: readonly number[] = [126, 127];
const LAST_WORDS = 2_000;

export async function copyFiles(context: CliContext): Promise<number> {
  const { asked, host } = context;
  const way = toCopyWay(asked.words);
  if (typeof way === 'string') {
    printText(host.stderr, `error: ${way}\nSee 'kubelet cp --help' for usage.\n`);
    return EXIT_USAGE;
  }
  const pod = await readPod({ ...context, asked: { ...asked, words: [way.pod] } });
  const { name, note } = chooseContainer(pod, asked.options.container);
  if (note !== undefined) printText(host.stderr, `${note}\n`);
  const path = toPath('exec', ...toPodParts(pod), name);
  const progress = new CopyProgress(host);
  const copy = way.kind === 'out' ? copyOut : copyIn;
  try {
    return await copy({ context, path, progress }, way);
  } finally {
    progress.close();
  }
}

interface Copy {
  readonly context: CliContext;
  /** Of exec. */
  readonly path: string;
  readonly progress: CopyProgress;
}

async function copyOut(copy: Copy, { from, to }: CopyWay): Promise<number> {
  const { context, progress } = copy;
  const { directory, name } = toContainerParts(from);
  const placement = await choosePlacement(to, name);
  const archive = new PassThrough();
  const stopped = new AbortController();
  const session = runSession(
    copy,
    ['tar', '-cf', '-', '-C', directory, name === '' ? '.' : `./${name}`],
    { stdout: archive },
    stopped.signal,
  );
  session.then(
    () => archive.end(),
    () => archive.end(),
  );
  try {
    await placeFiles(readTar(archive), placement, progress);
  } catch (error) {
    stopped.abort();
    // A command that failed sends no archive; what it says is the reason then.
    const ended = await session;
    if (
      ended.exitCode === 0 ||
      progress.files > 0 ||
      !(error instanceof AgentError) ||
      error.code !== 'invalid-argument'
    )
      throw error;
    return fail(context, ended);
  }
  return finish(copy, await session);
}

async function copyIn(copy: Copy, { from, to }: CopyWay): Promise<number> {
  const { context, progress } = copy;
  const local = resolve(from);
  await stat(local).catch((error: unknown) => {
    throw new AgentError('not-found', `cannot read ${JSON.stringify(from)}: ${errorText(error)}`);
  });
  const isDirectory = await runSession(copy, ['test', '-d', toOperand(to)], {
    stdout: new PassThrough().resume(),
  });
  if (isDirectory.problem !== undefined && isDirectory.exitCode !== 1) return fail(context, isDirectory);
  const { directory, name } =
    isDirectory.exitCode === 0 ? { directory: toOperand(to), name: basename(local) } : toContainerParts(to);
  const archive = writeTar(local, `./${name || basename(local)}`, {
    onFile: ({ path }) => progress.onFile(path),
    onSkipped: (path) => progress.onSkipped(path),
  });
  const stdin = Readable.from(count(archive, progress), { objectMode: false });
  const stdout = new PassThrough().resume();
  return finish(copy, await runSession(copy, ['tar', '-xmf', '-', '-C', directory], { stdin, stdout }));
}

async function* count(parts: AsyncIterable<Buffer>, progress: CopyProgress): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    progress.onBytes(part.length);
    yield part;
  }
}

/** As cp has it: into a directory that exists, else under the name that was given. */
async function choosePlacement(to: string, name: string): Promise<Placement> {
  const local = resolve(to);
  const found = await stat(local).catch(() => undefined);
  if (found?.isDirectory() && name !== '') return { directory: local, name, source: name };
  if (name === '') {
    // The whole of a directory: its entries come into one of that name.
    await mkdir(local, { recursive: true });
    return { directory: dirname(local), name: basename(local), source: '' };
  }
  const parent = await stat(dirname(local)).catch(() => undefined);
  if (parent?.isDirectory() !== true)
    throw new AgentError(
      'not-found',
      `cannot write ${JSON.stringify(to)}: there is no directory ${JSON.stringify(dirname(local))}`,
    );
  return { directory: dirname(local), name: basename(local), source: name };
}

interface EndedSession extends SessionEnd {
  /** The last of what it wrote to its standard error. */
  readonly said: string;
}

async function runSession(
  { context, path }: Copy,
  command: readonly string[],
  streams: Pick<SessionStreams, 'stdin' | 'stdout'>,
  stopped?: AbortSignal,
): Promise<EndedSession> {
  const { client, host } = context;
  const query = new URLSearchParams({
    ...(streams.stdin === undefined ? {} : { input: '1' }),
    output: '1',
    error: '1',
  });
  for (const word of command) query.append('command', word);
  const opened: MessageConnection = await client.openWebSocket(`${path}?${query}`, CHANNEL_PROTOCOL);
  using _aborted = onAbort(host.signal, () => opened.close());
  using _stopped = onAbort(stopped, () => opened.close());
  let said = '';
  const stderr = new Writable({
    write(chunk: Buffer, _, done) {
      said = `${said}${chunk}`.slice(-LAST_WORDS);
      done();
    },
  });
  return { ...(await runChannelSession(opened, { ...streams, stderr })), said };
}

function finish({ context, progress }: Copy, ended: EndedSession): number {
  if (ended.exitCode !== 0) return fail(context, ended);
  progress.summarize();
  return 0;
}

function fail({ host }: CliContext, { exitCode, problem, said }: EndedSession): number {
  if (host.signal.aborted) return EXIT_FAILED;
  const words = said.trim();
  const hasNoProgram =
    NO_PROGRAM.includes(exitCode) ||
    /executable file not found|no such file or directory.*exec|unable to start container process/i.test(
      problem ?? '',
    );
  const why = hasNoProgram
    ? 'the container has no program tar, which cp needs; for one file: kubelet exec POD -- cat FILE > FILE'
    : words || problem || `tar ended with exit code ${exitCode}`;
  printText(host.stderr, `error: ${why}\n`);
  return EXIT_FAILED;
}
