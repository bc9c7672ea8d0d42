/** The body of a request, held in memory within a limit. */
import type { IncomingMessage } from 'node:http';

/** Undefined when it is longer than `maxBytes`; what is left stays unread. Rejects when the client goes away. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Events instead of iteration: leaving a loop early would close the connection before the reply.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        request.pause();
        resolve(undefined);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client has gone')));
  });
}
