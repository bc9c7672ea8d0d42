import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { StepList } from './step-list.ts';
import { FIRST_STEPS, LAST_STEPS, toMark, toMarks } from './timeline-step.ts';

describe('StepList', () => {
  it('keeps the first and the last steps and counts what it drops', () => {
    const steps = new StepList();
    for (let at = 0; at < 1_000; at++) steps.mark(toMark('ended', at));
    const starts = steps.list().map(({ startMs }) => startMs);
    assert.equal(starts.length, FIRST_STEPS + LAST_STEPS);
    assert.deepEqual([starts[0], starts[FIRST_STEPS - 1], starts.at(-1)], [0, FIRST_STEPS - 1, 999]);
    assert.equal(steps.leftOut, 1_000 - FIRST_STEPS - LAST_STEPS);
  });

  it('counts tries that fail one after the other as one step', () => {
    const steps = new StepList();
    for (const at of [0, 10, 20]) steps.begin('image', 'a', at).end(at + 1, 'ErrImagePull');
    assert.deepEqual(steps.list(), [
      { what: 'image', about: 'a', startMs: 0, endMs: 21, problem: 'ErrImagePull', tries: 3 },
    ]);
    steps.begin('image', 'a', 30).end(31);
    assert.deepEqual(steps.list(), [{ what: 'image', about: 'a', startMs: 0, endMs: 31, tries: 4 }]);
    steps.begin('image', 'a', 40).end(41);
    assert.equal(steps.list().length, 2);
  });

  it('lists in the order of starts, also those that began later than they were noted', () => {
    const steps = new StepList();
    const start = steps.begin('start', 'main', 0);
    steps.begin('image', 'a', 1).end(5);
    start.restartAt(5);
    assert.deepEqual(
      steps.list().map(({ what, startMs, endMs }) => [what, startMs, endMs]),
      [
        ['image', 1, 5],
        ['start', 5, undefined],
      ],
    );
  });
});

describe('toMarks', () => {
  const container = (state: ContainerStatus['state'], lastState: ContainerStatus['state'] = {}) => ({
    name: 'main',
    state,
    lastState,
    ready: false,
    restartCount: 0,
    image: '',
    imageID: '',
  });
  const status = (ready: boolean, ...containerStatuses: ContainerStatus[]): PodStatus => ({
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses,
  });
  const failed = { terminated: { exitCode: 3, reason: 'Error', containerID: 'c1' } };

  it('marks when a pod becomes ready and when it is no longer', () => {
    assert.deepEqual(toMarks(status(false), status(true), 5), [toMark('ready', 5)]);
    assert.deepEqual(toMarks(status(true), status(false), 5), [toMark('not ready', 5)]);
    assert.deepEqual(toMarks(status(true), status(true), 5), []);
    assert.deepEqual(toMarks(undefined, status(true), 5), []);
  });

  it('marks each end of a container once', () => {
    const before = status(false, container({ running: { startedAt: '' } }));
    const ended = status(false, container(failed));
    assert.deepEqual(toMarks(before, ended, 5), [toMark('ended', 5, 'main', 'Error, exit code 3')]);
    const again = status(false, container({ running: { startedAt: '' } }, failed));
    assert.deepEqual(toMarks(ended, again, 6), []);
    assert.equal(toMarks(before, again, 6).length, 1);
    const good = { terminated: { exitCode: 0, containerID: 'c2' } };
    assert.deepEqual(toMarks(ended, status(false, container(good)), 7), [toMark('ended', 7, 'main')]);
  });
});
