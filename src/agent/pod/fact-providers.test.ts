import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { podFacts } from '../../../test/samples/sample-facts.ts';
import { observe, samplePod, UID } from '../../../test/samples/sample-pods.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type FactProviders, FactSource } from './fact-providers.ts';

const RECORD: DesiredPod = { uid: UID, pod: samplePod(), source: 'api', order: 0 };

describe('FactSource', () => {
  it('asks each provider with the pod, and hands on what it answers', () => {
    const sample = podFacts();
    const asked: string[] = [];
    const providers: FactProviders = {
      probes: () => sample.probes,
      networkProblem: ({ uid }) => `none for ${uid}`,
      runtimeProblem: () => undefined,
      volumes: (_record, observed) => ({ ready: observed.containers.length === 0, held: true }),
      crashLoops: () => sample.crashLoops,
      crashLoopPolicy: () => sample.crashLoopPolicy,
      agentStartedAtMs: () => 7,
      cgroupMissing: () => asked.includes('refreshed'),
      deadContainers: () => undefined,
      claimsHeld: () => undefined,
      resourceHealth: () => undefined,
      resize: () => undefined,
      restartsAsked: () => undefined,
      pins: () => undefined,
    };
    const source = new FactSource(providers, [async ({ uid }) => void asked.push('refreshed', uid)]);
    const facts = source.read(RECORD, observe([], []));
    assert.equal(facts.networkProblem, `none for ${UID}`);
    assert.deepEqual(facts.volumes, { ready: true, held: true });
    assert.deepEqual([facts.agentStartedAtMs, facts.cgroupMissing], [7, false]);
  });

  it('reads what a refresh has found', async () => {
    let missing = false;
    const sample = podFacts();
    const providers = {
      cgroupMissing: () => missing,
      volumes: () => sample.volumes,
    } as unknown as FactProviders;
    const look = async (): Promise<void> => {
      missing = true;
    };
    const source = new FactSource(providers, [look]);
    assert.equal(source.read(RECORD, observe([], [])).cgroupMissing, false);
    await source.refresh(RECORD, observe([], []));
    assert.equal(source.read(RECORD, observe([], [])).cgroupMissing, true);
  });
});
