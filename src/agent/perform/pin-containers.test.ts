import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { LinuxResources } from '../../core/model/observed-pod.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import { pinContainersPerformer } from './pin-containers.ts';

describe('pinContainersPerformer', () => {
  it('sends only the CPUs, and a container that cannot be moved keeps no other from it', async () => {
    const noted: string[] = [];
    const sent: [string, LinuxResources][] = [];
    const perform = pinContainersPerformer({
      kit: { clock: new FakeClock(), logger: new RecordingLogger() },
      runtime: {
        updateContainer: async (id, resources) => {
          if (id === 'c1') throw new AgentError('unknown', 'no');
          sent.push([id, resources]);
        },
      },
      pins: {
        applied: (_uid, id, cpus) => void noted.push(`${id} ${cpus}`),
        failed: () => void noted.push('failed'),
      },
    });
    const pod = { metadata: { name: 'p', namespace: 'default', uid: 'p' } };
    const signal = new AbortController().signal;
    const context = { record: { uid: 'p', pod }, signal, callSignal: signal, label: 'p' };
    const pin = (id: string) => ({ id: toContainerId(id), name: id, cpus: '2-3' });
    const action = { kind: 'pin-containers', pins: [pin('c1'), pin('c2')] } as const;
    assert.deepEqual(await perform(action, context as unknown as ActionContext), { kind: 'done' });
    assert.deepEqual(sent, [['c2', { cpusetCpus: '2-3' }]]);
    assert.deepEqual(noted, ['failed', 'c2 2-3']);
  });

  it('moves no further container once the pass was cut short, and lets the call under way end', async () => {
    const stop = new AbortController();
    const sent: string[] = [];
    const perform = pinContainersPerformer({
      kit: { clock: new FakeClock(), logger: new RecordingLogger() },
      runtime: {
        updateContainer: async (id) => {
          sent.push(id);
          stop.abort(new Error('the agent stops'));
        },
      },
      pins: { applied: () => {}, failed: () => {} },
    });
    const { signal: callSignal } = new AbortController();
    const context = { record: { uid: 'p', pod: {} }, signal: stop.signal, callSignal, label: 'p' };
    const pin = (id: string) => ({ id: toContainerId(id), name: id, cpus: '2-3' });
    const action = { kind: 'pin-containers', pins: [pin('c1'), pin('c2')] } as const;
    await assert.rejects(perform(action, context as unknown as ActionContext), /the agent stops/);
    assert.deepEqual(sent, ['c1']);
  });
});
