import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { checkTogether } from './check-together.ts';
import { ConfigurationReloader } from './configuration-reloader.ts';
import { LiveConfiguration } from './live-configuration.ts';

const HEAD = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
};

async function setUp(fields: object) {
  const files = new Map<string, string>();
  const write = (changed: object) => files.set('/c', JSON.stringify({ ...HEAD, ...changed }));
  write(fields);
  const [clock, logger] = [new FakeClock(), new RecordingLogger()];
  const world = { problem: undefined as string | undefined };
  const host = {
    cwd: '/',
    cgroupVersion: 2 as const,
    readFile: (path: string) => files.get(path) ?? assert.fail(`no such file: ${path}`),
    readDir: () =>
      [...files.keys()]
        .filter((path) => path.startsWith('/d/'))
        .map((path) => ({ name: path.slice(3), isDirectory: false })),
  };
  const load = () => loadConfiguration(['--kubeconfig=/k', '--config=/c', '--config-dir=/d'], host);
  const live = new LiveConfiguration(load() as LoadedConfiguration);
  const check = async (next: LoadedConfiguration): Promise<void> => {
    checkTogether(next, host);
    if (world.problem !== undefined) throw new AgentError('failed-precondition', world.problem);
  };
  const reloader = new ConfigurationReloader({ live, load, check, clock, logger });
  const stop = new AbortController();
  const running = reloader.run(stop.signal);
  const reload = async (): Promise<void> => {
    reloader.ask();
    await clock.settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { files, write, live, logger, world, reloader, reload, end };
}

describe('ConfigurationReloader', () => {
  it('puts in force what the file and its drop-ins say now, and logs each field', async () => {
    const t = await setUp({ maxPods: 10 });
    t.write({ maxPods: 20 });
    t.files.set('/d/10-more.conf', JSON.stringify({ ...HEAD, kubeAPIQPS: 99 }));
    await t.reload();
    assert.equal(t.live.current.config.maxPods, 20);
    assert.equal(t.live.current.config.kubeAPIQPS, 99);
    assert.deepEqual(
      t.logger.lines.filter(({ message }) => message === 'setting changed').map(({ fields }) => fields),
      [
        { field: 'kubeAPIQPS', from: 50, to: 99 },
        { field: 'maxPods', from: 10, to: 20 },
      ],
    );
    await t.end();
  });

  it('keeps the last good configuration when the file is wrong, and says what is', async () => {
    const t = await setUp({ maxPods: 10 });
    const before = t.live.current;
    t.write({ maxPods: -1, readOnlyPort: -3 });
    await t.reload();
    assert.equal(t.live.current, before);
    const errors = t.logger.lines.filter(({ severity }) => severity === 'error');
    assert.equal(errors.length, 2);
    assert.match(JSON.stringify(errors), /maxPods.*readOnlyPort|readOnlyPort.*maxPods/);
    t.files.delete('/c');
    await t.reload();
    assert.equal(t.live.current, before);
    t.write({ maxPods: 30 });
    await t.reload();
    assert.equal(t.live.current.config.maxPods, 30);
    await t.end();
  });

  it('names the fields that need a restart and goes on without them', async () => {
    const t = await setUp({ maxPods: 10 });
    t.write({ maxPods: 11, port: 4242, containerLogMaxSize: '-1' });
    await t.reload();
    const warning = t.logger.lines.find(({ severity }) => severity === 'warning');
    assert.match(String(warning?.fields['fields']), /^port, containerLogMaxSize \(log rotation .*\)$/);
    assert.equal(t.live.current.config.port, 10250);
    assert.equal(t.live.current.config.maxPods, 11);
    await t.end();
  });

  it('changes nothing when the machine cannot do it', async () => {
    const t = await setUp({ maxPods: 10 });
    t.world.problem = 'too few ids';
    t.write({ maxPods: 500 });
    await t.reload();
    assert.equal(t.live.current.config.maxPods, 10);
    assert.deepEqual((await t.reloader.report()).problems, ['too few ids']);
    await t.end();
  });

  it('refuses a mixture of files and running settings that breaks a rule', async () => {
    const t = await setUp({});
    const { current } = t.live;
    const mixed = { ...current, config: { ...current.config, imageGCLowThresholdPercent: 99 } };
    assert.throws(() => checkTogether(mixed, { cgroupVersion: 2 }), /wait for a restart.*imageGC/);
    checkTogether(current, { cgroupVersion: 2 });
    await t.end();
  });

  it('reports what differs without changing anything', async () => {
    const t = await setUp({ maxPods: 10 });
    t.write({ maxPods: 11 });
    const { sources, differences } = await t.reloader.report();
    assert.deepEqual(sources, ['/c', '/d']);
    assert.deepEqual(
      differences.map(({ field, takes }) => [field, takes]),
      [['maxPods', 'reload']],
    );
    assert.equal(t.live.current.config.maxPods, 10);
    await t.end();
  });
});
