import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { inSpan, NO_SPAN } from '../../ports/tracer.ts';
import { type FinishedSpan, SpanTracer } from './span-tracer.ts';

function setUp(ratePerMillion = 1_000_000) {
  const clock = new FakeClock();
  const finished: FinishedSpan[] = [];
  let next = 1;
  const tracer = new SpanTracer({
    clock,
    randomBytes: (count) => Buffer.alloc(count, next++),
    ratePerMillion,
    onFinished: (span) => void finished.push(span),
  });
  return { clock, finished, tracer };
}

const start = (name: string, more: object = {}) => ({ name, scope: 'test', ...more });

describe('SpanTracer', () => {
  it('puts what is begun within a span below it, also after waiting', async () => {
    const { tracer, finished } = setUp();
    await tracer.span(start('outer'), async () => {
      await Promise.resolve();
      await Promise.all([
        tracer.span(start('left'), async () => Promise.resolve()),
        tracer.span(start('right'), async () => Promise.resolve()),
      ]);
    });
    const outer = finished.find(({ name }) => name === 'outer');
    assert.equal(outer?.parentId, undefined);
    for (const name of ['left', 'right']) {
      const span = finished.find((one) => one.name === name);
      assert.deepEqual(span?.parentId, outer?.context.spanId);
      assert.deepEqual(span?.context.traceId, outer?.context.traceId);
    }
  });

  it('begins a new trace where the span of the caller is over', async () => {
    const { tracer, finished } = setUp();
    let late: Promise<void> | undefined;
    const gate = Promise.withResolvers<void>();
    await tracer.span(start('pass'), async () => {
      late = gate.promise.then(() => tracer.span(start('watch'), async () => {}));
    });
    gate.resolve();
    await late;
    const [pass, watch] = finished;
    assert.equal(watch?.parentId, undefined);
    assert.notDeepEqual(watch?.context.traceId, pass?.context.traceId);
  });

  it('fails the span with what the work rejects with', async () => {
    const { tracer, finished } = setUp();
    await assert.rejects(
      tracer.span(start('a'), async () => {
        throw new Error('no');
      }),
      /no/,
    );
    assert.equal(finished[0]?.problem, 'no');
  });

  it('records nothing of a trace that was not chosen, and says so to the other side', async () => {
    const { tracer, finished } = setUp(0);
    const headers: string[] = [];
    await tracer.span(start('a'), async (outer) => {
      headers.push(outer.headers['traceparent'] ?? '');
      await tracer.span(start('b'), async (inner) => void headers.push(inner.headers['traceparent'] ?? ''));
    });
    assert.deepEqual(finished, []);
    assert.match(headers[0] ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    assert.equal(headers[0], headers[1]);
  });

  it('links a caller from elsewhere and follows none', async () => {
    const { tracer, finished } = setUp();
    const linkTo = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await tracer.span(start('a', { linkTo }), async () => {});
    assert.equal(finished[0]?.link?.spanId.toString('hex'), '00f067aa0ba902b7');
    assert.notEqual(finished[0]?.context.traceId.toString('hex'), '4bf92f3577b34da6a3ce929d0e0e4736');
    await tracer.span(start('b', { linkTo: 'nonsense' }), async () => {});
    assert.equal(finished[1]?.link, undefined);
  });

  it('bounds texts', async () => {
    const { tracer, finished } = setUp();
    await tracer.span(start('a', { attributes: { long: 'x'.repeat(5_000) } }), async (span) => {
      span.fail('y'.repeat(5_000));
    });
    assert.equal(String(finished[0]?.attributes.get('long')).length, 1_024);
    assert.equal(finished[0]?.problem?.length, 1_024);
  });

  it('costs nothing where there is none', async () => {
    const fail = () => assert.fail('no span is described');
    assert.equal(await inSpan(undefined, fail, async (span) => span === NO_SPAN), true);
  });
});
