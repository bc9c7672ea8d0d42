/** Our PodResources server with grpc-js as its client. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Client, credentials } from '@grpc/grpc-js';
import { servePodResources } from '../../src/adapters/devices/pod-resources-server.ts';
import type { PodResourceList } from '../../src/core/devices/pod-resources.ts';
import {
  decodeAllocatableResourcesResponse,
  decodeGetPodResourcesResponse,
  decodeListPodResourcesResponse,
  encodeGetPodResourcesRequest,
} from '../../src/gen/podresources.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';

const POD: PodResourceList = {
  name: 'web',
  namespace: 'default',
  containers: [
    {
      name: 'main',
      devices: [
        { resource: 'x.io/d', id: 'a', numaNodes: [0, 1] },
        { resource: 'x.io/d', id: 'b', numaNodes: [] },
      ],
      cpus: [2, 3],
      memory: [{ type: 'memory', bytes: 2 ** 34, numaNodes: [1] }],
      claims: [
        {
          name: 'claim',
          namespace: 'default',
          devices: [{ driver: 'd.io', pool: 'p', device: 'g', cdiIds: ['d.io/g=1'], shareId: undefined }],
        },
      ],
    },
  ],
};

class Setup implements AsyncDisposable {
  readonly path: string;
  readonly counts: string[] = [];
  readonly clock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #client: Client;

  private constructor(path: string) {
    this.path = path;
    const reader = {
      list: () => [POD],
      find: (namespace: string, name: string) =>
        namespace === 'default' && name === 'web' ? POD : undefined,
      allocatable: () => ({ devices: POD.containers[0]?.devices ?? [], cpus: [0, 1], memory: [] }),
    };
    const meter = {
      asked: (version: string, call: string) => void this.counts.push(`${version} ${call}`),
      failed: (version: string, call: string) => void this.counts.push(`${version} ${call} failed`),
    };
    const { clock } = this;
    this.#done = servePodResources(
      { path, reader, meter, clock, logger: new RecordingLogger() },
      this.#stop.signal,
    );
    this.#client = new Client(`unix:${path}`, credentials.createInsecure());
  }

  static async create(): Promise<Setup> {
    const directory = await mkdtemp(join(tmpdir(), 'pod-resources-'));
    const setup = new Setup(join(directory, 'own', 'kubelet.sock'));
    while ((await stat(setup.path).catch(() => undefined)) === undefined);
    return setup;
  }

  call(path: string, request: Uint8Array = new Uint8Array()): Promise<Buffer> {
    const same = (bytes: Buffer): Buffer => bytes;
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(path, same, same, Buffer.from(request), (error, answer) =>
        error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    this.#stop.abort();
    await this.#done;
    assert.equal(await stat(this.path).catch(() => 'gone'), 'gone');
    await rm(dirname(dirname(this.path)), { recursive: true, force: true });
  }
}

describe('PodResources', () => {
  it('lists what pods have', async () => {
    await using setup = await Setup.create();
    const { podResources } = decodeListPodResourcesResponse(await setup.call('/v1.PodResourcesLister/List'));
    assert.deepEqual(podResources, [
      {
        name: 'web',
        namespace: 'default',
        containers: [
          {
            name: 'main',
            devices: [
              { resourceName: 'x.io/d', deviceIds: ['a'], topology: { nodes: [{ ID: 0 }, { ID: 1 }] } },
              { resourceName: 'x.io/d', deviceIds: ['b'], topology: { nodes: [] } },
            ],
            cpuIds: [2, 3],
            memory: [{ memoryType: 'memory', size: 2 ** 34, topology: { nodes: [{ ID: 1 }] } }],
            dynamicResources: [
              {
                claimName: 'claim',
                claimNamespace: 'default',
                claimResources: [
                  {
                    cdiDevices: [{ name: 'd.io/g=1' }],
                    driverName: 'd.io',
                    poolName: 'p',
                    deviceName: 'g',
                    shareId: undefined,
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
    assert.equal((await stat(setup.path)).mode & 0o777, 0o600);
    assert.equal((await stat(dirname(setup.path))).mode & 0o777, 0o700);
  });

  it('the early version knows devices by resource alone', async () => {
    await using setup = await Setup.create();
    const answer = decodeListPodResourcesResponse(await setup.call('/v1alpha1.PodResourcesLister/List'));
    const [container] = answer.podResources[0]?.containers ?? [];
    assert.deepEqual(container?.devices, [
      { resourceName: 'x.io/d', deviceIds: ['a', 'b'], topology: undefined },
    ]);
    assert.deepEqual(container?.cpuIds, []);
    assert.deepEqual(setup.counts, ['v1alpha1 list']);
  });

  it('says what can be given', async () => {
    await using setup = await Setup.create();
    const answer = await setup.call('/v1.PodResourcesLister/GetAllocatableResources');
    const { devices, cpuIds } = decodeAllocatableResourcesResponse(answer);
    assert.equal(devices.length, 2);
    assert.deepEqual(cpuIds, [0, 1]);
  });

  it('finds one pod, and says when there is none', async () => {
    await using setup = await Setup.create();
    const get = (podName: string): Promise<Buffer> =>
      setup.call(
        '/v1.PodResourcesLister/Get',
        encodeGetPodResourcesRequest({ podName, podNamespace: 'default' }),
      );
    assert.equal(decodeGetPodResourcesResponse(await get('web')).podResources?.name, 'web');
    await assert.rejects(get('none'), /2 UNKNOWN: pod none in namespace default not found/);
    assert.deepEqual(setup.counts, ['v1 get', 'v1 get', 'v1 get failed']);
  });

  it('refuses what comes too fast', async () => {
    await using setup = await Setup.create();
    const list = (): Promise<Buffer> => setup.call('/v1.PodResourcesLister/List');
    for (let call = 0; call < 10; call++) await list();
    await assert.rejects(list(), /8 RESOURCE_EXHAUSTED: rejected by rate limit/);
    await setup.clock.advance(10);
    await list();
  });
});
