/** Spans of a pod's path at a collector of others; a collector that is not there holds up nothing. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { describe, it } from 'node:test';
import { type CollectedSpan, OtlpCollector } from '../fakes/otlp-collector.ts';
import { type TestNode, withNode } from './node.ts';
import { scriptPod } from './sample-pods.ts';

const CALLER = '4bf92f3577b34da6a3ce929d0e0e4736';

function askPods(node: TestNode): Promise<void> {
  const { readOnlyPort: port } = node.kubelet;
  const headers = { traceparent: `00-${CALLER}-00f067aa0ba902b7-01` };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/pods', headers }, (response) => {
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}

/** Whether the span is below the other, in any depth. */
function isBelow(span: CollectedSpan, above: CollectedSpan, all: readonly CollectedSpan[]): boolean {
  if (span.traceId !== above.traceId) return false;
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === above || (parent !== undefined && isBelow(parent, above, all));
}

describe('tracing', () => {
  it('the pass of a pod, its steps and the calls they make arrive as one trace', {
    timeout: 120_000,
  }, async () => {
    using collector = await OtlpCollector.start();
    const tracing = { endpoint: `127.0.0.1:${collector.port}`, samplingRatePerMillion: 1_000_000 };
    await withNode({ config: { tracing } }, async (node) => {
      await node.writeManifest('a.yaml', scriptPod('a', 'sleep 600'));
      await node.waitReady('a');
      await askPods(node);
      const { spans } = collector;
      const start = await node.waitFor(
        'the call that starts the container',
        () => spans.find(({ name }) => name === 'runtime.v1.RuntimeService/StartContainer'),
        30_000,
      );
      const passes = (): CollectedSpan[] =>
        spans.filter(
          ({ name, attributes }) =>
            name === 'syncPod' && attributes.get('k8s.pod') === `default/${node.podName('a')}`,
        );
      const pass = await node.waitFor(
        'the pass it was made in',
        () => passes().find((one) => isBelow(start, one, spans)),
        30_000,
      );
      assert.equal(pass.parentSpanId, '');
      assert.equal(start.attributes.get('rpc.system'), 'grpc');
      assert.ok(spans.some((span) => span.name === 'start-container' && isBelow(span, pass, spans)));
      const served = await node.waitFor(
        'the request for pods',
        () => spans.find(({ name, linkedTo }) => name === '/pods' && linkedTo.includes(CALLER)),
        30_000,
      );
      assert.notEqual(served.traceId, CALLER);
      assert.equal(collector.resources[0]?.get('service.name'), 'kubelet');
      assert.equal(collector.resources[0]?.get('host.name'), node.name);
    });
  });

  it('a collector that is not there costs no pod anything', { timeout: 120_000 }, async () => {
    const tracing = { endpoint: '127.0.0.1:1', samplingRatePerMillion: 1_000_000 };
    await withNode({ config: { tracing } }, async (node) => {
      await node.writeManifest('a.yaml', scriptPod('a', 'sleep 600'));
      await node.waitReady('a');
      await node.waitForLine(
        'that spans are not sent',
        ({ msg }) => msg === 'cannot send spans to their collector',
        30_000,
      );
    });
  });
});
