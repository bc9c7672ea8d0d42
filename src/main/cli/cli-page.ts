/** `page`: the address of the page for people. It holds the token that lets its reader in. */
import { AgentError } from '../../base/errors.ts';
import type { PageAddress } from '../../server/page/page-server.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';

export async function printPageAddress({ client, host }: CliContext): Promise<number> {
  const page = await client.getJson<PageAddress>('/page');
  if ('problem' in page) throw new AgentError('unavailable', page.problem);
  printText(host.stdout, `${page.address}\n`);
  return 0;
}
