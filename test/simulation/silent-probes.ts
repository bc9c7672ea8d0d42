/** A network on which every probe succeeds at once. */
import type { ProbeTransport } from '../../src/ports/probe-transport.ts';

export const silentProbes: ProbeTransport = {
  httpGet: () => Promise.resolve({ kind: 'answer', status: 200, body: '' }),
  connect: () => Promise.resolve(undefined),
  checkHealth: () => Promise.resolve(undefined),
};
