import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeGrpcServer, type ServedCall } from '../../../test/fakes/fake-grpc-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import * as otlp from '../../gen/otlp.ts';
import { SpanExporter } from './span-exporter.ts';
import type { FinishedSpan } from './span-tracer.ts';

const OK = 0;
const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

function span(name: string): FinishedSpan {
  return {
    context: { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), isSampled: true },
    parentId: undefined,
    link: undefined,
    start: { name, scope: 'test' },
    name,
    startedMs: 1,
    endedMs: 2,
    attributes: new Map(),
    problem: undefined,
  };
}

/** A collector that hands each call to the test. */
async function setUp() {
  const calls: ServedCall[] = [];
  let notify = (): void => {};
  const server = await FakeGrpcServer.start((call) => {
    calls.push(call);
    notify();
  });
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const exporter = new SpanExporter({
    endpoint: server.socketPath,
    resource: { 'service.name': 'kubelet' },
    clock,
    logger,
    random: () => 0,
  });
  const stop = new AbortController();
  const running = exporter.run(stop.signal);
  const nextCall = async (): Promise<ServedCall> => {
    while (calls.length === 0)
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    return calls.shift() as ServedCall;
  };
  /** Waits for the exporter to have seen an answer. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    await server.stop();
    assert.equal(clock.pendingTimers, 0);
  };
  return { exporter, clock, logger, nextCall, until, end, calls, stop, running, server };
}

const namesOf = ({ body }: ServedCall): string[] =>
  otlp
    .decodeExportTraceServiceRequest(body)
    .resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)),
    );

function answer(call: ServedCall, code = OK, rejectedSpans = 0): void {
  if (code !== OK) {
    call.refuse(code, 'no');
    return;
  }
  call.send(otlp.encodeExportTraceServiceResponse({ partialSuccess: { rejectedSpans } }));
  call.end(OK);
}

describe('SpanExporter', () => {
  it('sends what came within five seconds as one batch', async () => {
    const t = await setUp();
    t.exporter.add(span('a'));
    t.exporter.add(span('b'));
    await t.clock.advance(5_000);
    const call = await t.nextCall();
    assert.equal(call.path, '/opentelemetry.proto.collector.trace.v1.TraceService/Export');
    assert.deepEqual(namesOf(call), ['a', 'b']);
    answer(call);
    await t.until(() => t.exporter.counts.exported === 2);
    await t.end();
  });

  it('does not wait when a batch is full', async () => {
    const t = await setUp();
    for (let i = 0; i < 512; i++) t.exporter.add(span(`s${i}`));
    await t.clock.settle();
    const call = await t.nextCall();
    assert.equal(namesOf(call).length, 512);
    answer(call);
    await t.until(() => t.exporter.counts.exported === 512);
    await t.end();
  });

  it('keeps at most 2048 spans for a collector that is away, drops and counts the rest, and goes on later', async () => {
    const t = await setUp();
    for (let i = 0; i < 3_000; i++) t.exporter.add(span(`s${i}`));
    await t.clock.settle();
    answer(await t.nextCall(), UNAVAILABLE);
    await t.until(() => t.logger.messages('warning').length === 1);
    assert.equal(t.exporter.counts.dropped, 3_000 - 2_048);
    await t.clock.advance(5_000);
    const again = await t.nextCall();
    assert.equal(namesOf(again)[0], 's0');
    answer(again);
    for (let batch = 2; batch <= 4; batch++) answer(await t.nextCall());
    await t.until(() => t.exporter.counts.exported === 2_048);
    assert.equal(t.exporter.counts.dropped, 3_000 - 2_048);
    assert.deepEqual(t.logger.messages('warning'), ['cannot send spans to their collector']);
    assert.deepEqual(t.logger.messages('info'), ['spans reach their collector again']);
    await t.end();
  });

  it('drops a batch that the collector will never take, and counts what it rejects of one', async () => {
    const t = await setUp();
    t.exporter.add(span('a'));
    await t.clock.advance(5_000);
    answer(await t.nextCall(), INVALID_ARGUMENT);
    await t.until(() => t.exporter.counts.dropped === 1);
    t.exporter.add(span('b'));
    t.exporter.add(span('c'));
    await t.clock.advance(5_000);
    answer(await t.nextCall(), OK, 1);
    await t.until(() => t.exporter.counts.exported === 1);
    assert.equal(t.exporter.counts.dropped, 2);
    await t.end();
  });

  it('waits a second at the end for a collector that hangs, and no longer', async () => {
    const t = await setUp();
    t.exporter.add(span('a'));
    await t.clock.settle();
    t.stop.abort();
    await t.nextCall();
    await t.clock.advance(1_000);
    await t.running;
    assert.equal(t.exporter.counts.dropped, 1);
    await t.server.stop();
  });
});
