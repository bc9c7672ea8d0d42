/** The adapter on a real message bus, with a real systemd-inhibit that holds the lock; logind and systemd are fakes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { LogindShutdown } from '../../src/adapters/systemd/logind-shutdown.ts';
import { whenAborted } from '../../src/base/async/when-aborted.ts';
import { FakeSystemd } from './fake-systemd.ts';

const { signal } = new AbortController();
const LOCKED = 'locked Kubelet needs time to handle node shutdown';

describe('LogindShutdown on a message bus', { timeout: 120_000 }, () => {
  let machine: FakeSystemd;
  let host: LogindShutdown;

  beforeEach(async () => {
    machine = new FakeSystemd();
    await machine.start();
    host = new LogindShutdown({ clock: new SystemClock(), bus: machine.bus, overridePath: machine.override });
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  it('has a longer delay taken over by logind', async () => {
    using link = await host.connect(signal);
    assert.equal(await link.readDelayMs(signal), 5_000);
    await link.raiseDelay(30, signal);
    assert.equal(
      readFileSync(machine.override, 'utf8'),
      '# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=30\n',
    );
    assert.equal(await link.readDelayMs(signal), 30_000);
    assert.ok(machine.lines.includes('kill systemd-logind.service all 1'));
  });

  it('takes one lock that outlives the connection, finds it again and releases it', async () => {
    {
      using link = await host.connect(signal);
      await link.takeLock(signal);
      await link.takeLock(signal);
    }
    using link = await host.connect(signal);
    await link.takeLock(signal);
    assert.deepEqual(
      machine.lines.filter((line) => line === LOCKED || line.startsWith('start')),
      ['start kubelet-shutdown-lock.service always 1000000', LOCKED],
    );
    assert.equal(machine.lines.includes('released'), false);
    await link.releaseLock(signal);
    await machine.saw('released');
    await link.releaseLock(signal);
    await link.takeLock(signal);
    await machine.saw(LOCKED, 2);
  });

  it('notices a shutdown and its end, and believes only logind', async () => {
    using link = await host.connect(signal);
    const heard: boolean[] = [];
    let wake = (): void => {};
    using _listening = link.subscribe((isPending) => {
      heard.push(isPending);
      wake();
    });
    const next = async (command: string): Promise<void> => {
      const called = new Promise<void>((resolve) => {
        wake = resolve;
      });
      machine.command(command);
      await called;
    };
    assert.equal(await link.isPending(signal), false);
    await next('forge');
    assert.deepEqual(heard, [false]);
    await next('prepare true');
    assert.deepEqual(heard, [false, true]);
    assert.equal(await link.isPending(signal), true);
    await next('prepare false');
    assert.deepEqual(heard, [false, true, false]);
    machine.command('stopping');
    await machine.saw('did stopping');
    assert.equal(await link.isPending(signal), true);
  });

  it('notices the end of the bus, and says why there is no connection', async () => {
    using link = await host.connect(signal);
    machine.endBus();
    await whenAborted(link.lost);
    await assert.rejects(
      link.isPending(signal),
      /^AgentError: cannot call "Get" of org.freedesktop.login1: /,
    );
    await assert.rejects(host.connect(signal), /^AgentError: cannot connect to the message bus at "/);
  });
});
