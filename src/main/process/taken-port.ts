/** Reports, for a port that is taken, which setting asks for it and, where the kernel shows it, which process holds it. */
import { findPortHolder } from '../../adapters/linux/machine/port-holder.ts';
import { AgentError, errorText } from '../../base/errors.ts';

export interface PortSetting {
  /** The field of the configuration. */
  readonly setting: string;
  readonly port: number;
}

export async function describeTakenPort(
  error: unknown,
  { setting, port }: PortSetting,
  find: typeof findPortHolder = findPortHolder,
): Promise<AgentError> {
  const holder = isTaken(error) ? await find(port) : undefined;
  const by = holder === undefined ? '' : ` by process ${holder.pid} (${JSON.stringify(holder.program)})`;
  const code = error instanceof AgentError ? error.code : 'unavailable';
  const why = `${errorText(error)}${by}; the port is set by ${JSON.stringify(setting)}`;
  return new AgentError(code, why, { cause: error });
}

/** Resolves to the port when the server accepts. Rejects as described: without this server the node is none. */
export async function startListening(
  listener: { start(): Promise<number> },
  setting: PortSetting,
): Promise<number> {
  try {
    return await listener.start();
  } catch (error) {
    throw await describeTakenPort(error, setting);
  }
}

function isTaken(error: unknown): boolean {
  const cause = error instanceof AgentError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}
