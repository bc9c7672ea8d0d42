/** A file or directory of the host's logs as a reply: whole, a range of it, or a page of links. */
import { errorText, hasCode } from '../../base/errors.ts';
import type { LogDirectory, LogFile, NodeLogs } from '../../ports/host/node-logs.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from '../http/http-exchange.ts';

const SNIFFED_BYTES = 512;

/** `path` is below the log directory. */
export async function replyLogEntry(
  nodeLogs: NodeLogs,
  path: string,
  request: Pick<HttpRequest, 'headers' | 'query'>,
): Promise<HttpReply> {
  const opened = await toOpenReply(nodeLogs, path, request);
  return 'problem' in opened ? toErrorReply(opened.status, opened.text) : opened.reply;
}

type OpenReply =
  | { readonly reply: HttpReply }
  | { readonly status: number; readonly text: string; readonly problem: string };

export async function toOpenReply(
  nodeLogs: NodeLogs,
  path: string,
  request: Pick<HttpRequest, 'headers' | 'query'>,
): Promise<OpenReply> {
  let found: LogDirectory | LogFile;
  try {
    found = await nodeLogs.open(path.replace(/\/$/, ''));
  } catch (error) {
    const problem = errorText(error);
    if (hasCode(error, 'not-found')) return { status: 404, text: '404 page not found', problem };
    if (hasCode(error, 'permission-denied')) return { status: 403, text: '403 Forbidden', problem };
    return { status: 500, text: '500 Internal Server Error', problem };
  }
  if (found.kind === 'file') return { reply: await replyFile(found, path, request) };
  const last = path.split('/').at(-1) ?? '';
  return { reply: last === '' ? replyDirectory(found) : redirect(`${last}/`, request) };
}

/** Relative, so that it holds behind the API server's proxy too. */
function redirect(to: string, { query }: Pick<HttpRequest, 'query'>): HttpReply {
  const location = to.split('/').map(encodeURIComponent).join('/');
  const search = query.size === 0 ? '' : `?${query}`;
  return { status: 301, headers: { location: location + search }, body: '' };
}

function replyDirectory({ names }: LogDirectory): HttpReply {
  const links = names.map((name) => {
    const target = name.split('/').map(encodeURIComponent).join('/');
    // A name with a colon would read as the scheme of an address.
    return `<a href="${target.includes(':') ? './' : ''}${target}">${escapeHtml(name)}</a>\n`;
  });
  const body = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join('')}</pre>\n`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { status: 200, headers, body };
}

async function replyFile(
  file: LogFile,
  path: string,
  { headers, query }: Pick<HttpRequest, 'headers' | 'query'>,
): Promise<HttpReply> {
  if (path.endsWith('/')) return redirect(`../${path.split('/').at(-2) ?? ''}`, { query });
  const { sizeBytes: size } = file;
  const range = parseRange(headers['range'], size);
  if (range === 'unsatisfiable') {
    const reply = toErrorReply(416, 'invalid range: failed to overlap');
    return { ...reply, headers: { ...reply.headers, 'content-range': `bytes */${size}` } };
  }
  const [start, end] = range ?? [0, size];
  const type = await sniffType(file);
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'last-modified': new Date(file.modifiedAtMs).toUTCString(),
      'content-length': String(end - start),
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
    body: '',
    stream: async (sink) => {
      for await (const chunk of file.read(start, end)) await sink.write(chunk);
    },
  };
}

/** One range; several ranges, or an invalid one, mean the whole file. */
export function parseRange(
  header: string | readonly string[] | undefined,
  size: number,
): readonly [start: number, end: number] | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header ?? '')) ?? [];
  if (from === undefined || to === undefined || from + to === '') return undefined;
  if (from === '') return to === '0' || size === 0 ? 'unsatisfiable' : [Math.max(0, size - Number(to)), size];
  const start = Number(from);
  const end = to === '' ? size : Math.min(size, Number(to) + 1);
  return start >= size || end <= start ? 'unsatisfiable' : [start, end];
}

async function sniffType(file: LogFile): Promise<string> {
  for await (const chunk of file.read(0, Math.min(SNIFFED_BYTES, file.sizeBytes))) {
    if (chunk[0] === 0x1f && chunk[1] === 0x8b) return 'application/x-gzip';
    const isBinary = chunk.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
    return isBinary ? 'application/octet-stream' : 'text/plain; charset=utf-8';
  }
  return 'text/plain; charset=utf-8';
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;' };
  return text.replace(/[&<>"]/g, (letter) => names[letter] ?? letter);
}
