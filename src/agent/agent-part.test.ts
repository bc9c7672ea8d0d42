import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordingLogger } from '../../test/fakes/recording-logger.ts';
import { samplePod, UID } from '../../test/samples/sample-pods.ts';
import { whenAborted } from '../base/async/when-aborted.ts';
import { type AgentPart, announceGone, runParts } from './agent-part.ts';

function setUp() {
  const did: string[] = [];
  const part = (name: string): Required<AgentPart> => ({
    name,
    load: async () => void did.push(`load ${name}`),
    run: async (stop) => {
      did.push(`run ${name}`);
      await whenAborted(stop);
    },
    podGone: ({ uid }) => void did.push(`gone ${name} ${uid}`),
    flush: async () => void did.push(`flush ${name}`),
    close: () => void did.push(`close ${name}`),
  });
  const logger = new RecordingLogger();
  const stop = new AbortController();
  return { did, logger, stop, parts: [part('store'), { name: 'empty' }, part('reporter')] };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runParts', () => {
  it('loads in order before anything runs, and closes and flushes backwards', async () => {
    const { did, logger, stop, parts } = setUp();
    const running = runParts(parts, logger, stop.signal);
    await settle();
    assert.deepEqual(did.splice(0), ['load store', 'load reporter', 'run store', 'run reporter']);
    stop.abort();
    await running;
    assert.deepEqual(did, ['close reporter', 'close store', 'flush reporter', 'flush store']);
  });

  it('names the part whose loop failed, and rejects', async () => {
    const { logger, stop, parts } = setUp();
    const broken = { name: 'broken', run: () => Promise.reject(new Error('no more')) };
    await assert.rejects(runParts([...parts, broken], logger, stop.signal), /no more/);
    assert.deepEqual(
      logger.lines.map(({ message, fields }) => [message, fields['part'], fields['step']]),
      [['a part of the agent failed', 'broken', 'run']],
    );
  });

  it('runs nothing when a part cannot be loaded', async () => {
    const { did, logger, stop, parts } = setUp();
    const broken = { name: 'broken', load: () => Promise.reject(new Error('damaged')) };
    await assert.rejects(runParts([...parts, broken], logger, stop.signal), /damaged/);
    assert.deepEqual(did, ['load store', 'load reporter']);
    assert.equal(logger.lines[0]?.fields['part'], 'broken');
  });

  it('flushes what was loaded when it is stopped while another part loads', async () => {
    const { did, logger, stop, parts } = setUp();
    const slow: AgentPart = {
      name: 'slow',
      load: async (signal) => {
        await whenAborted(signal);
        throw new Error('aborted');
      },
      flush: async () => void did.push('flush slow'),
    };
    const running = runParts([...parts, slow], logger, stop.signal);
    await settle();
    stop.abort();
    await assert.rejects(running, /aborted/);
    assert.deepEqual(did.slice(-2), ['flush reporter', 'flush store']);
    assert.equal(did.includes('flush slow'), false);
  });

  it('logs no failure of a part that the stop took down', async () => {
    const { logger, stop } = setUp();
    const broken: AgentPart = {
      name: 'broken',
      run: async (signal) => {
        await whenAborted(signal);
        throw new Error('aborted');
      },
    };
    const running = runParts([broken], logger, stop.signal);
    stop.abort();
    await assert.rejects(running, /aborted/);
    assert.deepEqual(logger.lines, []);
  });
});

describe('announceGone', () => {
  it('reaches who reports the end before the stores forget the pod', () => {
    const { did, parts } = setUp();
    announceGone(parts, { uid: UID, pod: samplePod(), source: 'api', order: 0 }, undefined);
    assert.deepEqual(did, [`gone reporter ${UID}`, `gone store ${UID}`]);
  });
});
