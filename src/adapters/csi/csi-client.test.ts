import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeCsiDriver } from '../../../test/fakes/fake-csi-driver.ts';
import { GrpcCode } from '../grpc/grpc-status.ts';
import { type CsiCall, CsiClient, isFinal } from './csi-client.ts';

describe('CsiClient', () => {
  it('sorts the usage by unit and passes the condition on', async () => {
    await using server = await FakeCsiDriver.start();
    const client = new CsiClient(server.socketPath, new FakeClock());
    server.stats = {
      usage: [
        { unit: 1, available: 1, total: 3, used: 2 },
        { unit: 2, available: 10, total: 30, used: 20 },
      ],
      volumeCondition: { abnormal: true, message: 'bad disk' },
    };
    assert.deepEqual(await client.stats('v', '/p'), {
      usage: {
        availableBytes: 1,
        capacityBytes: 3,
        usedBytes: 2,
        inodesFree: 10,
        inodes: 30,
        inodesUsed: 20,
      },
      condition: { abnormal: true, message: 'bad disk' },
    });
    server.stats = {};
    assert.deepEqual(await client.stats('v', '/p'), {});
  });

  it('asks the driver to expand a volume to a size in bytes', async () => {
    await using server = await FakeCsiDriver.start();
    const client = new CsiClient(server.socketPath, new FakeClock());
    const use = { kind: 'block', accessMode: 'single-node-writer' } as const;
    const expand = {
      volumeId: 'v',
      volumePath: '/p',
      stagingPath: '/s',
      requiredBytes: 2 ** 40,
      use,
      secrets: { a: 'b' },
    };
    await client.expand(expand);
    const { capacityRange, volumeCapability, ...rest } = server.last('NodeExpandVolume');
    assert.equal(capacityRange?.requiredBytes, 2 ** 40);
    assert.deepEqual(volumeCapability?.block, {});
    assert.deepEqual(rest, { volumeId: 'v', volumePath: '/p', stagingTargetPath: '/s', secrets: { a: 'b' } });
  });

  it('distinguishes final answers from others', async () => {
    await using server = await FakeCsiDriver.start();
    const client = new CsiClient(server.socketPath, new FakeClock());
    const fail = async (code: number): Promise<boolean> => {
      server.failures.set('NodeUnpublishVolume', code);
      return client.unpublish('v', '/p').then(
        () => assert.fail('it worked'),
        (error: unknown) => isFinal(error),
      );
    };
    const final = [GrpcCode.INTERNAL, GrpcCode.INVALID_ARGUMENT, GrpcCode.UNKNOWN];
    const open = [
      GrpcCode.CANCELLED,
      GrpcCode.DEADLINE_EXCEEDED,
      GrpcCode.UNAVAILABLE,
      GrpcCode.RESOURCE_EXHAUSTED,
      GrpcCode.ABORTED,
    ];
    for (const code of final) assert.equal(await fail(code), true, `code ${code}`);
    for (const code of open) assert.equal(await fail(code), false, `code ${code}`);
  });

  it('reports how each call ended', async () => {
    await using server = await FakeCsiDriver.start();
    const ended: string[] = [];
    const onCall = ({ method, code }: CsiCall): void => void ended.push(`${method} ${code}`);
    const client = new CsiClient(server.socketPath, new FakeClock(), onCall);
    await client.unpublish('v', '/p');
    server.failures.set('NodeUnpublishVolume', GrpcCode.ABORTED);
    await client.unpublish('v', '/p').catch(() => {});
    assert.deepEqual(ended, [
      '/csi.v1.Node/NodeUnpublishVolume OK',
      '/csi.v1.Node/NodeUnpublishVolume Aborted',
    ]);
  });

  it('gives up after two minutes, while the driver may still be at work', async () => {
    await using server = await FakeCsiDriver.start();
    const clock = new FakeClock();
    const client = new CsiClient(server.socketPath, clock);
    server.hangs.add('NodeUnpublishVolume');
    const calling = client.unpublish('v', '/p').catch((error: unknown) => error);
    while (server.calls.length === 0) await clock.settle();
    await clock.advance(120_000);
    const error = await calling;
    assert.match(String(error), /DeadlineExceeded/);
    assert.equal(isFinal(error), false);
    assert.equal(clock.pendingTimers, 0);
  });
});
