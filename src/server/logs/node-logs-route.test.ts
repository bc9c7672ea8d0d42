import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { NodeLogs } from '../../ports/host/node-logs.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { parseTarget } from '../http/request-target.ts';
import { parseRange } from './log-file-reply.ts';
import { checkNodeLogQuery, parseNodeLogQuery, toJournalArguments } from './node-log-query.ts';
import { toNodeLogsRoute } from './node-logs-route.ts';

const FILES: Readonly<Record<string, string>> = {
  syslog: '0123456789',
  'cron.log': 'cron\n',
  'web/web.log': 'web\n',
  'a.gz': '\u001f\u008b..',
  core: '\u0000',
};

class FakeNodeLogs implements NodeLogs {
  units = 'kubelet.service\nssh.service\n';
  readonly journals: string[] = [];
  hasJournal = true;

  async open(path: string): ReturnType<NodeLogs['open']> {
    const text = FILES[path];
    if (path === 'out') throw new AgentError('permission-denied', 'cannot open "out": outside of /var/log');
    if (path === '' || path === 'web') return { kind: 'directory', names: ['<b>', 'a:b', 'dir/'] };
    if (text === undefined)
      throw new AgentError('not-found', `cannot open "${path}": no such file or directory`);
    const bytes = Buffer.from(text, 'latin1');
    return {
      kind: 'file',
      sizeBytes: bytes.length,
      modifiedAtMs: Date.UTC(2026, 0, 2),
      read: async function* (start, end) {
        yield bytes.subarray(start, end);
      },
    };
  }

  async readUnits(): Promise<string> {
    return this.units;
  }

  async *readJournal(args: readonly string[]): AsyncIterable<Uint8Array> {
    if (!this.hasJournal) throw new AgentError('not-found', 'no journalctl');
    this.journals.push(args.join(' '));
    yield Buffer.from('journal\n');
  }
}

function setUp(queries = true) {
  const nodeLogs = new FakeNodeLogs();
  const clock = new FakeClock();
  const route = toNodeLogsRoute({ nodeLogs, queries, clock });
  const get = async (target: string, headers: Record<string, string> = {}) => {
    const parsed = parseTarget(target);
    assert.ok(parsed);
    const request = { method: 'GET', ...parsed, headers, body: new Uint8Array() };
    const reply: HttpReply = await route.handle(request, new AbortController().signal);
    const chunks: Buffer[] = [];
    const sink = { write: async (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk)) };
    await reply.stream?.(sink, new AbortController().signal);
    assert.equal(clock.pendingTimers, 0);
    const bytes = Buffer.concat(chunks);
    return { ...reply, bytes, text: reply.body + bytes.toString('latin1') };
  };
  return { nodeLogs, get };
}

describe('toNodeLogsRoute', () => {
  it('serves a file, whole or a range of it', async () => {
    const { get } = setUp(false);
    const whole = await get('/logs/syslog');
    assert.deepEqual([whole.status, whole.text], [200, '0123456789']);
    assert.equal(whole.headers['content-length'], '10');
    assert.equal(whole.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(whole.headers['last-modified'], 'Fri, 02 Jan 2026 00:00:00 GMT');
    const part = await get('/logs/syslog', { range: 'bytes=2-4' });
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, '234', 'bytes 2-4/10']);
    const beyond = await get('/logs/syslog', { range: 'bytes=10-' });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */10']);
    assert.equal((await get('/logs/a.gz')).headers['content-type'], 'application/x-gzip');
    assert.equal((await get('/logs/core')).headers['content-type'], 'application/octet-stream');
  });

  it('lists a directory with escaped names', async () => {
    const { get } = setUp();
    const { status, text, headers } = await get('/logs/');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(
      text,
      /<a href="%3Cb%3E">&lt;b&gt;<\/a>\n<a href="a%3Ab">a:b<\/a>\n<a href="dir\/">dir\/<\/a>\n<\/pre>\n$/,
    );
    const moved = await get('/logs/web');
    assert.deepEqual([moved.status, moved.headers['location']], [301, 'web/']);
    const asked = await get('/logs/web?a=1&b=%2F');
    assert.equal(asked.headers['location'], 'web/?a=1&b=%2F');
    const back = await get('/logs/syslog/');
    assert.deepEqual([back.status, back.headers['location']], [301, '../syslog']);
  });

  it('answers 404 for what is missing and 403 for what is outside', async () => {
    const { get } = setUp();
    const missing = await get('/logs/nothing');
    assert.deepEqual([missing.status, missing.text], [404, '404 page not found\n']);
    const outside = await get('/logs/out');
    assert.deepEqual([outside.status, outside.text], [403, '403 Forbidden\n']);
  });

  it('asks the journal about services it knows, and else looks for their files', async () => {
    const { get, nodeLogs } = setUp();
    const known = await get('/logs/?query=kubelet&query=ssh&tailLines=5');
    assert.deepEqual([known.status, known.text], [200, 'journal\n']);
    assert.equal(known.headers['content-type'], 'text/plain;charset=UTF-8');
    assert.deepEqual(nodeLogs.journals, [
      '--utc --no-pager --output=short-precise --pager-end --lines=5 --unit=kubelet --unit=ssh',
    ]);
    assert.equal((await get('/logs/?query=cron')).text, 'cron\n');
    assert.equal((await get('/logs/?query=web')).text, 'web\n');
    assert.equal((await get('/logs/?query=nope')).text, '\nlog not found for nope\n');
    assert.match(
      (await get('/logs/?query=cron&boot=0')).text,
      /^\noptions present and query resolved to log files for \[cron\]/,
    );
    nodeLogs.hasJournal = false;
    assert.equal((await get('/logs/?query=ssh')).text, '\nerror: journal output not available\n');
  });

  it('compresses the answer only for clients that accept exactly gzip', async () => {
    const { get } = setUp();
    const packed = await get('/logs/?query=ssh', { 'accept-encoding': 'gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed.bytes).toString(), 'journal\n');
    assert.equal((await get('/logs/?query=ssh', { 'accept-encoding': 'gzip, br' })).text, 'journal\n');
  });

  it('serves the file a query names', async () => {
    const { get } = setUp();
    assert.equal((await get('/logs/?query=web/web.log')).text, 'web\n');
    const missing = await get('/logs/?query=/none');
    assert.deepEqual(
      [missing.status, missing.text],
      [406, 'query: Invalid value: ["/none"]: cannot open "/none": no such file or directory\n'],
    );
    assert.equal((await get('/logs/syslog?query=ssh')).text, 'path not allowed in query mode\n');
  });

  it('ignores a query where it is not allowed', async () => {
    const { get, nodeLogs } = setUp(false);
    assert.equal((await get('/logs/syslog?query=ssh')).text, '0123456789');
    assert.deepEqual(nodeLogs.journals, []);
  });

  const refused: readonly (readonly [string, number, RegExp])[] = [
    ['query=%20', 400, /^query: Invalid value: \[" "\]: may not be empty\n$/],
    ['query=a&sinceTime=now', 400, /^sinceTime: Invalid value: "now": invalid time format\n$/],
    [
      'query=a&boot=x&tailLines=y',
      400,
      /^\[boot: Invalid value: "x": .*, tailLines: Invalid value: "y": .*\]\n$/,
    ],
    ['tailLines=1', 406, /^query: Required value: cannot be empty with options\n$/],
    ['query=a&query=b&query=c&query=d&query=e', 406, /^query: Too many: 5: must have at most 4 items\n$/],
    ['query=a;b', 406, /input contains unsupported characters\n$/],
    [`query=${'a'.repeat(257)}`, 406, /length must be less than 256\n$/],
    ['query=a&query=/b', 406, /cannot specify a file and service\n$/],
    ['query=/a&query=/b', 406, /cannot specify more than one file\n$/],
    ['query=/a&boot=0', 406, /cannot specify file with options\n$/],
    [
      'query=a&sinceTime=2026-01-02T00:00:00Z&untilTime=2026-01-01T00:00:00Z',
      406,
      /must be after `sinceTime`\n$/,
    ],
    ['query=a&boot=1', 406, /^boot: Invalid value: 1: must be less than 1\n$/],
    ['query=a&tailLines=100001', 406, /must be between 0 and 100000, inclusive\n$/],
    ['query=a&pattern=(', 406, /^pattern: Invalid value: "\(": error parsing regexp/],
  ];
  for (const [query, status, text] of refused)
    it(`refuses ${query.slice(0, 60)}`, async () => {
      const reply = await setUp().get(`/logs/?${query}`);
      assert.equal(reply.status, status);
      assert.match(reply.text, text);
    });
});

describe('toJournalArguments', () => {
  it('turns every option into an argument of its own', () => {
    const text =
      'query=a&sinceTime=2026-01-02T03:04:05%2B02:00&untilTime=2026-01-03T00:00:00Z&tailLines=9&pattern=x%20y&boot=-1';
    const parsed = parseNodeLogQuery(new URLSearchParams(text));
    assert.ok(parsed.kind === 'query');
    assert.equal(checkNodeLogQuery(parsed.query), undefined);
    assert.deepEqual(toJournalArguments(parsed.query, ['a']), [
      '--utc',
      '--no-pager',
      '--output=short-precise',
      '--since=2026-01-02 01:04:05 UTC',
      '--until=2026-01-03 00:00:00 UTC',
      '--pager-end',
      '--lines=9',
      '--unit=a',
      '--grep=x y',
      '--boot=-1',
    ]);
  });
});

describe('parseRange', () => {
  const rows: readonly (readonly [string | undefined, unknown])[] = [
    [undefined, undefined],
    ['bytes=0-0', [0, 1]],
    ['bytes=5-', [5, 10]],
    ['bytes=5-99', [5, 10]],
    ['bytes=-3', [7, 10]],
    ['bytes=-99', [0, 10]],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=4-2', 'unsatisfiable'],
    ['bytes=0-1,3-4', undefined],
    ['bytes=-', undefined],
    ['lines=1-2', undefined],
  ];
  for (const [header, expected] of rows)
    it(`reads ${header ?? 'no header'}`, () => assert.deepEqual(parseRange(header, 10), expected));
});
