/**
 * `/logs/`: the logs of the host. A path is a file or a directory of its log
 * directory; where the configuration allows it, a query asks for the logs of
 * services, from the journal or the file of that name.
 */
import { Readable } from 'node:stream';
import { createGzip, constants as zlib } from 'node:zlib';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { NodeLogs } from '../../ports/host/node-logs.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { replyLogEntry, toOpenReply } from './log-file-reply.ts';
import {
  checkNodeLogQuery,
  hasOptions,
  type NodeLogQuery,
  parseNodeLogQuery,
  toJournalArguments,
} from './node-log-query.ts';

const PATH = '/logs/';
const DEADLINE_MS = 30_000;

export interface NodeLogsParts {
  readonly nodeLogs: NodeLogs;
  /** Whether services may be asked about (enableSystemLogQuery). */
  readonly queries: boolean;
  readonly clock: Clock;
}

export function toNodeLogsRoute(parts: NodeLogsParts): Route {
  return { path: PATH, methods: ['GET'], handle: (request) => reply(parts, request) };
}

async function reply(parts: NodeLogsParts, request: HttpRequest): Promise<HttpReply> {
  const path = request.path.slice(PATH.length);
  const parsed = parts.queries ? parseNodeLogQuery(request.query) : { kind: 'none' as const };
  if (parsed.kind === 'undecodable') return toErrorReply(400, parsed.message);
  if (parsed.kind === 'none') return replyLogEntry(parts.nodeLogs, path, request);
  if (path !== '' && path !== '/') return toErrorReply(406, 'path not allowed in query mode');
  const { query } = parsed;
  const problem = checkNodeLogQuery(query);
  if (problem !== undefined) return toErrorReply(406, problem);
  const [file] = query.files;
  if (file === undefined) return replyServices(parts, query, request);
  const opened = await toOpenReply(parts.nodeLogs, file.replaceAll('\\', '/'), request);
  return 'problem' in opened
    ? toErrorReply(406, `query: Invalid value: ${JSON.stringify([file])}: ${opened.problem}`)
    : opened.reply;
}

function replyServices(parts: NodeLogsParts, query: NodeLogQuery, { headers }: HttpRequest): HttpReply {
  const isPacked = headers['accept-encoding'] === 'gzip';
  return {
    status: 200,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    },
    body: '',
    stream: async (sink, signal) => {
      using deadline = new Deadline(parts.clock, { timeoutMs: DEADLINE_MS, signal });
      const text = readServices(parts.nodeLogs, query, deadline.signal);
      const packed = isPacked
        ? (Readable.from(text).pipe(createGzip({ level: zlib.Z_BEST_SPEED })) as AsyncIterable<Buffer>)
        : text;
      for await (const chunk of packed) await sink.write(chunk);
    },
  };
}

/** Never throws: errors are part of the text. */
async function* readServices(
  nodeLogs: NodeLogs,
  query: NodeLogQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const units = await nodeLogs.readUnits(signal);
  const native = query.services.filter((service) => units.includes(`${service}.service`));
  const inFiles = query.services.filter((service) => !native.includes(service));
  if (native.length > 0) {
    try {
      yield* nodeLogs.readJournal(toJournalArguments(query, native), signal);
    } catch {
      yield Buffer.from('\nerror: journal output not available\n');
    }
  }
  if (inFiles.length > 0 && hasOptions(query)) {
    const text = `\noptions present and query resolved to log files for [${inFiles.join(' ')}]\ntry without specifying options\n`;
    yield Buffer.from(text);
    return;
  }
  for (const service of inFiles) yield* readServiceFile(nodeLogs, service);
}

async function* readServiceFile(nodeLogs: NodeLogs, service: string): AsyncGenerator<Uint8Array> {
  for (const path of [service, `${service}.log`, `${service}/${service}.log`]) {
    try {
      const found = await nodeLogs.open(path);
      if (found.kind === 'directory') continue;
      yield* found.read(0, found.sizeBytes);
      return;
    } catch (error) {
      if (hasCode(error, 'not-found')) continue;
      yield Buffer.from(`\nerror getting log for ${service}: ${errorText(error)}\n`);
      return;
    }
  }
  yield Buffer.from(`\nlog not found for ${service}\n`);
}
