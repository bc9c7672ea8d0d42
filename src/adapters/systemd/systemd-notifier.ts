/** Notifications to the service manager that started the process. Node has no datagram sockets on paths, so a program of systemd sends them. */
import { runProgram } from '../linux/program/run-program.ts';

/** `message` is an assignment such as `READY=1`. Rejects with AgentError when it cannot be delivered. */
export async function notifySystemd(
  message: string,
  socket: string,
  { program = 'systemd-notify', signal }: { readonly program?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const options = { env: { NOTIFY_SOCKET: socket }, signal };
  await runProgram(program, [message], 'notify systemd of', message, options);
}
