import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { ApiEvent } from '../../../core/events/api-event.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import { renderDescription } from './describe-pod.ts';
import { eventTitles, toEventCells } from './render-events.ts';
import { comparePods, podTitles, toPodCells } from './render-pods.ts';
import { renderTable } from './render-table.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const POD: CliPod = {
  metadata: {
    name: 'web-n1',
    namespace: 'default',
    uid: 'u1',
    labels: { b: '2', a: '1' },
    creationTimestamp: ago(60),
  },
  spec: {
    nodeName: 'n1',
    containers: [
      {
        name: 'main',
        image: 'app:1',
        command: ['sh', '-c', 'x'],
        ports: [{ containerPort: 80 }],
        resources: { limits: { cpu: '1' } },
        volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
      },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.7',
    hostIP: '192.0.2.1',
    qosClass: 'BestEffort',
    conditions: [
      { type: 'Ready', status: 'False', lastTransitionTime: ago(12), reason: 'ContainersNotReady' },
    ],
    containerStatuses: [
      {
        name: 'main',
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error', finishedAt: ago(12) } },
        ready: false,
        restartCount: 2,
        image: 'app:1',
        imageID: 'sha256:abc',
      },
    ],
  },
};
const EXPLAINED: PodExplanation = {
  namespace: 'default',
  name: 'web-n1',
  uid: 'u1',
  state: 'waiting',
  sentence: 'Waiting for x.',
  waitsFor: 'x',
};
const EVENT: ApiEvent = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'web-n1.1', namespace: 'default' },
  involvedObject: {
    apiVersion: 'v1',
    kind: 'Pod',
    name: 'web-n1',
    uid: 'u1',
    fieldPath: 'spec.containers{main}',
  },
  reason: 'BackOff',
  message: 'Back-off\n  restarting',
  type: 'Warning',
  source: { component: 'kubelet', host: 'n1' },
  firstTimestamp: ago(180),
  lastTimestamp: ago(12),
  count: 5,
};

describe('renderTable', () => {
  it('lines columns up, three spaces apart, without spaces at the end', () => {
    assert.equal(
      renderTable([
        ['A', 'LONG', ''],
        ['longer', 'b', ''],
      ]),
      'A        LONG\nlonger   b\n',
    );
  });

  it('keeps widths over several calls', () => {
    const widths: number[] = [];
    renderTable([['longer', 'x']], widths);
    assert.equal(renderTable([['a', 'b']], widths), 'a        b\n');
  });
});

describe('toPodCells', () => {
  const explanations = new Map([['u1', EXPLAINED]]);
  const options = { wide: false, withNamespace: false, nowMs: NOW, explanations };
  it('fits its titles in every form', () => {
    for (const wide of [false, true])
      for (const withNamespace of [false, true])
        assert.equal(
          toPodCells(POD, { ...options, wide, withNamespace }).length,
          podTitles({ wide, withNamespace }).length,
        );
  });

  it('says in the wide form what the pod waits for', () => {
    assert.deepEqual(toPodCells(POD, { ...options, wide: true, withNamespace: true }), [
      ...['default', 'web-n1', '0/1', 'CrashLoopBackOff', '2 (12s ago)', '60s', '10.0.0.7', 'n1', 'x'],
    ]);
  });

  it('shows a pod that the agent ends as terminating', () => {
    const ending = new Map([['u1', { ...EXPLAINED, state: 'ending' as const }]]);
    assert.equal(toPodCells(POD, { ...options, explanations: ending })[2], 'Terminating');
  });

  it('sorts by namespace, then by name', () => {
    const other = { ...POD, metadata: { ...POD.metadata, namespace: 'a', name: 'z' } };
    assert.deepEqual([POD, other].toSorted(comparePods), [other, POD]);
  });
});

describe('toEventCells', () => {
  it('counts an event that came several times, on one line', () => {
    const cells = ['12s (x5 over 3m)', 'Warning', 'BackOff', 'pod/web-n1{main}', 'Back-off restarting'];
    assert.deepEqual(toEventCells(EVENT, NOW, false), cells);
    assert.deepEqual(toEventCells(EVENT, NOW, true), ['default', ...cells]);
    assert.equal(eventTitles(true).length, cells.length + 1);
  });
});

describe('renderDescription', () => {
  const text = renderDescription({ pod: POD, explanation: EXPLAINED, events: [EVENT], nowMs: NOW });
  const lines: readonly RegExp[] = [
    /^Name: +web-n1$/m,
    /^Node: +n1\/192\.0\.2\.1$/m,
    /^Labels: +a: 1\n {20}b: 2$/m,
    /^Annotations: +<none>$/m,
    /^Status: +CrashLoopBackOff$/m,
    /^Explanation: +Waiting for x\.$/m,
    /^ {4}Command: +\["sh","-c","x"\]$/m,
    /^ {4}Ports: +80\/TCP$/m,
    /^ {4}State: +Waiting\n {6}Reason: +CrashLoopBackOff$/m,
    /^ {4}Last State: +Terminated\n {6}Reason: +Error\n {6}Exit Code: +3\n {6}Finished: .*\(12s ago\)$/m,
    /^ {4}Restart Count: +2$/m,
    /^ {4}Limits: +cpu=1$/m,
    /^ {4}Mounts:\n {6}\/data from data \(ro\)$/m,
    /^ {2}Ready {3}False {4}12s {5}ContainersNotReady$/m,
    /^ {2}data: +emptyDir \{\}$/m,
    /^QoS Class: +BestEffort$/m,
    /^ {2}Warning {3}BackOff {2}/m,
  ];
  for (const line of lines) it(`has ${line}`, () => assert.match(text, line));

  it('says so when there are no events, and when the agent ends the pod', () => {
    const explanation = { ...EXPLAINED, state: 'ending' as const };
    const bare = renderDescription({ pod: POD, explanation, events: [], nowMs: NOW });
    assert.match(bare, /^Events: +<none>$/m);
    assert.match(bare, /^Status: +Terminating$/m);
  });
});

describe('control sequences of containers', () => {
  const HOSTILE = '\x1b[2J\x1b]52;c;eA==\x07\r\x9b31m\u202e\nStatus:             Running';

  it('CVE-2021-25743: reach no terminal through describe, tables and events, and no text passes for a line of ours', () => {
    const hostile: CliPod = {
      ...POD,
      metadata: { ...POD.metadata, annotations: { a: HOSTILE, [HOSTILE]: 'x' } },
      status: {
        ...POD.status,
        message: HOSTILE,
        reason: HOSTILE,
        containerStatuses: (POD.status?.containerStatuses ?? []).map((status) => ({
          ...status,
          lastState: { terminated: { exitCode: 1, message: HOSTILE, reason: HOSTILE } },
        })),
      },
    };
    const event = { ...EVENT, message: HOSTILE, reason: HOSTILE };
    const text = renderDescription({
      pod: hostile,
      explanation: { state: 'waiting', sentence: HOSTILE },
      events: [event],
      nowMs: NOW,
    });
    const table = renderTable([['A', 'B'], [HOSTILE, 'x'], toEventCells(event, NOW, true)]);
    for (const shown of [text, table])
      assert.doesNotMatch(shown.replaceAll('\n', ''), /\p{Cc}|[\u2028-\u202e]/u);
    assert.equal(text.match(/^Status:/gm)?.length, 1);
    assert.equal(table.split('\n').length, 4);
  });

  it('reach no terminal past the one way out of text', () => {
    const directory = new URL('../', import.meta.url);
    const writers = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .filter((name) => /(stdout|stderr)\.write\(/.test(readFileSync(new URL(name, directory), 'utf8')));
    // Its logs are the container's own; text is coloured after it was escaped.
    assert.deepEqual(writers.toSorted(), ['cli-logs.ts', 'show/print-painted.ts']);
  });
});
