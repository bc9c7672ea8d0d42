/** Starts the read-only server, when the configuration has a port for it. */
import { createReadOnlyServer } from '../../../server/read-only-server.ts';
import { startListening } from '../../process/taken-port.ts';
import type { Foundation } from '../foundation.ts';
import type { CommonAnswers } from './main-server.ts';

export async function startReadOnlyServer(
  { loaded, clock, logger, scope, tracer }: Foundation,
  shared: CommonAnswers,
): Promise<void> {
  const { address, readOnlyPort: port } = loaded.config;
  if (port <= 0) return;
  const readOnly = createReadOnlyServer({
    ...shared,
    place: { address, port },
    kit: { clock, logger, tracer },
  });
  scope.defer(() => readOnly.stop());
  await startListening(readOnly, { setting: 'readOnlyPort', port });
}
