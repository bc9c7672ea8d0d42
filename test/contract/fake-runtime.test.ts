/** The fake runtime passes the same contract as the real ones. */
import type { Clock } from '../../src/base/async/clock.ts';
import { FakeRuntime } from '../fakes/fake-runtime.ts';
import { containerRuntimeContract } from './container-runtime.ts';

const IMAGE = 'registry.example/contract/shell:1';

/** The suite waits in real time, as it must for real runtimes. */
const realClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  startTimer: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

function makeSubject(events: boolean) {
  const latencyMs = { runSandbox: 2, startContainer: 2, stopSandbox: 2, pullImage: 2 };
  const fake = new FakeRuntime(realClock, { images: [IMAGE], events, latencyMs });
  return Promise.resolve({ runtime: fake, reader: fake, images: fake, image: IMAGE, close: async () => {} });
}

containerRuntimeContract('fake', () => makeSubject(true));
containerRuntimeContract('fake without events', () => makeSubject(false), { events: false });
