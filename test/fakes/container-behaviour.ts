/**
 * What a fake container's process does, decided by its image or command, so
 * that a pod spec alone is enough to script a test:
 *
 *   image exit:<code>[:<afterMs>] (or exit:<code>-<afterMs>, a legal tag)   ends by itself
 *   image with "ignore-term"           only a kill ends it
 *   image term:<afterMs>[-<code>]      ends so long after SIGTERM
 *   image with "start-error"           the process cannot be started
 *   command sleep <n>                  process 1 without a handler: ignores SIGTERM
 *   command sh -c "exit <n>", sh -c "trap "exit <n>" TERM; …"
 *   anything else                      runs until SIGTERM, then ends at once with 143
 */
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import type { ExecResult } from '../../src/ports/runtime/container-runtime.ts';

export type ContainerBehaviour =
  | { readonly kind: 'run-forever'; readonly onTerm: TermBehaviour }
  | {
      readonly kind: 'exit';
      readonly afterMs: number;
      readonly exitCode: number;
      readonly onTerm: TermBehaviour;
    }
  | { readonly kind: 'start-error'; readonly message: string };

export type TermBehaviour =
  | { readonly kind: 'ignore' }
  | { readonly kind: 'exit'; readonly afterMs: number; readonly exitCode: number };

export interface ExecBehaviour {
  /** Infinity never ends. */
  readonly afterMs: number;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const EXIT_ON_TERM: TermBehaviour = { kind: 'exit', afterMs: 0, exitCode: 143 };
const IGNORE_TERM: TermBehaviour = { kind: 'ignore' };

/** The behaviour the image or command asks for; see the table above. */
export function toBehaviour(config: ContainerConfig): ContainerBehaviour {
  return fromImage(config.userSpecifiedImage || config.image) ?? fromCommand(config.command);
}

function fromImage(image: string): ContainerBehaviour | undefined {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('start-error'))
    return { kind: 'start-error', message: 'exec: "no-such-program": executable file not found in $PATH' };
  const onTerm = name.includes('ignore-term') ? IGNORE_TERM : EXIT_ON_TERM;
  const exit = /^exit:(\d+)(?:[:-](\d+))?/.exec(name);
  if (exit !== null)
    return { kind: 'exit', exitCode: Number(exit[1]), afterMs: Number(exit[2] ?? 0), onTerm };
  const term = /^term:(\d+)(?:[:-](\d+))?/.exec(name);
  if (term !== null) {
    const exitCode = Number(term[2] ?? 143);
    return { kind: 'run-forever', onTerm: { kind: 'exit', afterMs: Number(term[1]), exitCode } };
  }
  return onTerm === IGNORE_TERM ? { kind: 'run-forever', onTerm } : undefined;
}

function fromCommand(command: readonly string[]): ContainerBehaviour {
  const text = command.join(' ');
  const trap = /trap "exit (\d+)" TERM/.exec(text);
  if (trap !== null)
    return { kind: 'run-forever', onTerm: { kind: 'exit', afterMs: 10, exitCode: Number(trap[1]) } };
  const exit = /^sh -c exit (\d+)$/.exec(text);
  if (exit !== null) return { kind: 'exit', afterMs: 0, exitCode: Number(exit[1]), onTerm: EXIT_ON_TERM };
  if (command[0] === 'sleep') return { kind: 'run-forever', onTerm: IGNORE_TERM };
  return { kind: 'run-forever', onTerm: EXIT_ON_TERM };
}

/** What a command run inside a container does: `sleep`, `exit`, `echo`; anything else succeeds silently. */
export function toExecBehaviour(command: readonly string[]): ExecBehaviour {
  const text = command.join(' ');
  const sleep = /^sleep (\d+(?:\.\d+)?|infinity)$/.exec(text);
  const exit = /\bexit (\d+)/.exec(text);
  const echoes = (pattern: RegExp): string =>
    [...text.matchAll(pattern)].map((match) => `${match[1]}\n`).join('');
  return {
    afterMs:
      sleep === null ? 0 : sleep[1] === 'infinity' ? Number.POSITIVE_INFINITY : Number(sleep[1]) * 1000,
    exitCode: Number(exit?.[1] ?? 0),
    stdout: echoes(/\becho (\w+)(?! *>&2)(?!\w)/g),
    stderr: echoes(/\becho (\w+) *>&2/g),
  };
}

/** The result the port returns for an ended command. */
export function toExecResult(behaviour: ExecBehaviour): ExecResult {
  const encoder = new TextEncoder();
  return {
    stdout: encoder.encode(behaviour.stdout),
    stderr: encoder.encode(behaviour.stderr),
    exitCode: behaviour.exitCode,
  };
}
