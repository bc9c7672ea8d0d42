import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListedPod, LogLine } from './kubelet-process.ts';
import { describeTrouble, toPodSteps } from './pod-steps.ts';
import { StepView } from './step-view.ts';

const SPEC = {
  initContainers: [{ name: 'prepare' }, { name: 'side', restartPolicy: 'Always' }],
  containers: [{ name: 'web' }],
};
const PULLED: LogLine = {
  ts: 0,
  msg: 'event',
  reason: 'Pulled',
  message: 'Container image "a:1" already present',
};

function podWith(status: object): ListedPod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: SPEC,
    status,
  } as unknown as ListedPod;
}

const READY = podWith({
  phase: 'Running',
  podIP: '10.0.0.1',
  conditions: [{ type: 'Ready', status: 'True' }],
  initContainerStatuses: [
    { name: 'prepare', state: { terminated: { exitCode: 0 } } },
    { name: 'side', state: { running: {} } },
  ],
  containerStatuses: [{ name: 'web', state: { running: {} } }],
});

describe('toPodSteps', () => {
  it('nothing has happened before the kubelet lists the pod', () => {
    const steps = toPodSteps(undefined, []);
    assert.deepEqual(
      steps.map(({ name, state }) => [name, state]),
      [
        ['image', 'waiting'],
        ['sandbox', 'waiting'],
        ['ready', 'waiting'],
      ],
    );
  });

  it('every step of a ready pod is done', () => {
    const steps = toPodSteps(READY, [PULLED]);
    assert.deepEqual(
      steps.map(({ name }) => name),
      ['image', 'sandbox', 'init', 'sidecar', 'running', 'ready'],
    );
    assert.deepEqual(new Set(steps.map(({ state }) => state)), new Set(['done']));
    assert.equal(steps[0]?.text, 'a:1');
  });

  it('a main container that ended has failed, an init container that ended well is done', () => {
    const pod = podWith({
      ...READY.status,
      containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 0 } } }],
    });
    assert.equal(toPodSteps(pod, []).find(({ name }) => name === 'running')?.state, 'failed');
  });
});

describe('describeTrouble', () => {
  it('names the container and why it waits', () => {
    const waiting = { reason: 'ErrImagePull', message: 'no such image' };
    const pod = podWith({ phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting } }] });
    assert.equal(describeTrouble(pod), 'container "web" waits: ErrImagePull: no such image');
  });

  it('a start under way is no trouble', () => {
    const waiting = { reason: 'ContainerCreating' };
    assert.equal(
      describeTrouble(
        podWith({ phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting } }] }),
      ),
      undefined,
    );
  });
});

describe('StepView', () => {
  it('writes each step once as a plain line when not on a terminal', () => {
    let text = '';
    const view = new StepView({
      isTerminal: false,
      write: (more) => {
        text += more;
      },
      elapsedMs: () => 1234,
    });
    view.show(toPodSteps(READY, [PULLED]));
    view.show(toPodSteps(READY, [PULLED]));
    assert.equal(text.split('\n').length - 1, 6);
    assert.match(text, /^\[demo\] {3}1\.2s {2}image {4}a:1$/m);
    assert.ok(!text.includes('\x1b'));
  });
});
