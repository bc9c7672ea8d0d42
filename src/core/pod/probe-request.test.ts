import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  HOOK_USER_AGENT,
  PROBE_USER_AGENT,
  probesOf,
  renderCommandTimeout,
  toExecReport,
  toHttpReport,
  toProbeCommand,
  toProbeEvent,
} from './probe-request.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('toProbeCommand', () => {
  it('knows variables with a literal value only', () => {
    const env = [
      { name: 'FILE', value: '/tmp/up' },
      { name: 'SECRET', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ];
    assert.deepEqual(toProbeCommand(['cat', '$(FILE)', '$(SECRET)', '$$(FILE)'], { name: 'web', env }), [
      'cat',
      '/tmp/up',
      '$(SECRET)',
      '$(FILE)',
    ]);
  });
});

describe('toExecReport', () => {
  it('reads the verdict off the exit code and the text off both outputs', () => {
    const run = { exitCode: 3, stdout: bytes('out '), stderr: bytes('err') };
    assert.deepEqual(toExecReport(run), { outcome: 'failure', output: 'out err' });
    assert.equal(toExecReport({ ...run, exitCode: 0 }).outcome, 'success');
  });

  it('keeps 10 KiB of what was printed', () => {
    const run = { exitCode: 1, stdout: bytes('x'.repeat(10_000)), stderr: bytes('y'.repeat(1_000)) };
    assert.equal(toExecReport(run).output, `${'x'.repeat(10_000)}${'y'.repeat(240)}`);
  });
});

describe('renderCommandTimeout', () => {
  it('names the command and the limit', () => {
    const text = renderCommandTimeout(['sh', '-c', 'sleep 9'], 90_000);
    assert.equal(text, 'command timed out: "sh -c sleep 9" timed out after 1m30s');
  });
});

describe('PROBE_USER_AGENT and HOOK_USER_AGENT', () => {
  it('are the user agents of kubelets of this version', () => {
    assert.deepEqual([PROBE_USER_AGENT, HOOK_USER_AGENT], ['kube-probe/1.36', 'kube-lifecycle/1.36']);
  });
});

describe('toHttpReport', () => {
  it('takes 200 to 399 as good, warns about redirects left alone, fails on the rest', () => {
    assert.equal(toHttpReport(200, 'ok').outcome, 'success');
    assert.deepEqual(toHttpReport(302, 'moved'), {
      outcome: 'warning',
      output: 'Probe terminated redirects, Response body: moved',
    });
    assert.equal(toHttpReport(299, '').outcome, 'success');
    assert.equal(toHttpReport(300, '').outcome, 'warning');
    assert.equal(toHttpReport(399, '').outcome, 'warning');
    assert.deepEqual(toHttpReport(503, 'no'), {
      outcome: 'failure',
      output: 'HTTP probe failed with statuscode: 503',
    });
    assert.equal(toHttpReport(199, '').outcome, 'failure');
    assert.equal(toHttpReport(400, '').outcome, 'failure');
  });
});

describe('toProbeEvent', () => {
  it('has the exact text of each outcome', () => {
    const eventOf = (outcome: 'success' | 'failure' | 'warning' | 'error') =>
      toProbeEvent('readiness', { outcome, output: 'why' });
    assert.equal(eventOf('success'), undefined);
    assert.deepEqual(eventOf('failure'), { reason: 'Unhealthy', message: 'Readiness probe failed: why' });
    assert.deepEqual(eventOf('warning'), { reason: 'ProbeWarning', message: 'Readiness probe warning: why' });
    assert.deepEqual(eventOf('error'), {
      reason: 'Unhealthy',
      message: 'Readiness probe errored and resulted in unknown state: why',
    });
  });
});

describe('probesOf', () => {
  it('lists the startup probe first: it decides whether the others run', () => {
    const probe = { tcpSocket: { port: 80 } };
    const container = { name: 'web', readinessProbe: probe, startupProbe: probe, livenessProbe: probe };
    assert.deepEqual(
      probesOf(container).map(([kind]) => kind),
      ['startup', 'liveness', 'readiness'],
    );
    assert.deepEqual(probesOf({ name: 'web' }), []);
  });
});
