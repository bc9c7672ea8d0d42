/** The sub-commands that carry streams: exec, attach and port-forward. */

import { onAbort } from '../../base/async/on-abort.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { CHANNEL_PROTOCOL, runChannelSession, type SessionStreams } from './ask/channel-session.ts';
import type { CliContext } from './ask/cli-context.ts';
import { forwardPort, parseForwardedPort } from './ask/port-forward.ts';
import { chooseContainer, readPod, toPath, toPodParts } from './cli-pod.ts';
import { printText } from './show/print-text.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

export function execInPod(context: CliContext): Promise<number> {
  return runSession(context, 'exec', context.asked.command);
}

export function attachPod(context: CliContext): Promise<number> {
  return runSession(context, 'attach', []);
}

async function runSession(
  context: CliContext,
  action: 'exec' | 'attach',
  command: readonly string[],
): Promise<number> {
  const { client, asked, host } = context;
  const pod = await readPod(context);
  const { name, note } = chooseContainer(pod, asked.options.container);
  if (note !== undefined) printText(host.stderr, `${note}\n`);
  const { stdin } = asked.options;
  const isTerminal = 'isTTY' in host.stdin && host.stdin.isTTY === true;
  if (asked.options.tty && stdin && !isTerminal)
    printText(host.stderr, 'Unable to use a TTY - input is not a terminal or the right kind of file\n');
  const tty = asked.options.tty && (isTerminal || !stdin);
  const query = new URLSearchParams({
    ...(stdin ? { input: '1' } : {}),
    output: '1',
    ...(tty ? { tty: '1' } : { error: '1' }),
  });
  for (const word of command) query.append('command', word);
  const path = toPath(action, ...toPodParts(pod), name);
  const opened = await client.openWebSocket(`${path}?${query}`, CHANNEL_PROTOCOL);
  using _listening = onAbort(host.signal, () => opened.close());
  const { exitCode, problem } = await withTerminal(context, tty && stdin && isTerminal, () =>
    runChannelSession(opened, toStreams(context, tty)),
  );
  if (host.signal.aborted) return exitCode;
  if (problem !== undefined) printText(host.stderr, `error: ${problem}\n`);
  else if (exitCode !== 0) printText(host.stderr, `command terminated with exit code ${exitCode}\n`);
  return exitCode;
}

function toStreams({ asked, host }: CliContext, tty: boolean): SessionStreams {
  const { stdin, stdout, stderr } = host;
  const terminal = {
    size: (): readonly [number, number] => {
      const { columns = 80, rows = 24 } = stdout as { columns?: number; rows?: number };
      return [columns, rows];
    },
    onResize: (listener: () => void): Disposable => {
      stdout.on('resize', listener);
      return { [Symbol.dispose]: () => void stdout.off('resize', listener) };
    },
  };
  return {
    stdout,
    stderr,
    ...(asked.options.stdin ? { stdin } : {}),
    ...(tty ? { terminal } : {}),
  };
}

/** Keys go to the far end as they are pressed, also those that would stop this program. */
async function withTerminal<T>({ host }: CliContext, raw: boolean, work: () => Promise<T>): Promise<T> {
  const keyboard = host.stdin as { setRawMode?: (raw: boolean) => void };
  if (raw) keyboard.setRawMode?.(true);
  try {
    return await work();
  } finally {
    if (raw) keyboard.setRawMode?.(false);
  }
}

/** Until the user stops it. */
export async function forwardPorts(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const [, ...texts] = asked.words;
  const ports = texts.map(parseForwardedPort);
  const bad = ports.indexOf(undefined);
  if (bad !== -1) {
    printText(host.stderr, `error: invalid port ${JSON.stringify(texts[bad])}: want [LOCAL_PORT:]POD_PORT\n`);
    return EXIT_USAGE;
  }
  const pod = await readPod(context);
  const path = toPath('portForward', ...toPodParts(pod));
  const servers = [];
  try {
    for (const port of ports) {
      if (port === undefined) continue;
      const opened = await forwardPort(client, path, port, (text) => printText(host.stderr, `${text}\n`));
      servers.push(opened.server);
      printText(host.stdout, `Forwarding from 127.0.0.1:${opened.port} -> ${port.remote}\n`);
    }
    await whenAborted(host.signal);
    return 0;
  } catch (error) {
    if (error instanceof AgentError) throw error;
    printText(host.stderr, `error: unable to listen on any of the requested ports: ${errorText(error)}\n`);
    return EXIT_FAILED;
  } finally {
    for (const server of servers) server.close();
  }
}
