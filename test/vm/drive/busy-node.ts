/** A node with pods that stay, and a load of others that come and go, for those who cut its power. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../fakes/fake-api-patch.ts';
import { toCollection } from '../../fakes/fake-api-path.ts';
import type { SeededRandom } from '../../fakes/seeded-random.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';
import { eventually } from './eventually.ts';
import { isReady, PODS, VmNode } from './vm-node.ts';

const SETTLED_MS = 1_800_000;
/** Of the load, at one time. */
const MOST_JOBS = 5;
const BETWEEN_JOBS_MS = 1_500;
const DAMAGE = 'damaged|corrupted|not a checkpoint|cannot read checkpoint';

export interface Load extends AsyncDisposable {
  stop(): void;
}

export class BusyNode extends VmNode {
  /** Pods of the load so far. */
  jobs = 0;
  readonly #ids = new Map<string, string>();

  createObjects(): void {
    const meta = (name: string): JsonObject => ({ name, namespace: 'default', uid: `uid-${name}` });
    const place = (plural: string) => toCollection('', 'v1', plural, 'default');
    this.api.store.create(place('configmaps'), { metadata: meta('settings'), data: { colour: 'green' } });
    const data = { key: Buffer.from('hush').toString('base64') };
    this.api.store.create(place('secrets'), { metadata: meta('password'), data });
  }

  /** Lives as long as what it has mounted is what it should be. */
  reader(name: string): SamplePod {
    const check = '[ "$(cat /settings/colour)$(cat /password/key)" = greenhush ] || exit 1';
    return this.#withObjects(name, `while :; do ${check}; sleep 1; done`, {});
  }

  /** Waits until all steady pods run in instances that were not there at the last look; resolves to their restart counts. */
  async settle(names: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const name of names) {
      const status = await eventually(
        `pod "${name}" to be ready in a new instance (${this.#ids.get(name)})`,
        () => {
          const now = this.podStatus(name);
          const id = now.containerStatuses?.[0]?.containerID;
          return isReady(now) && id !== this.#ids.get(name) && now;
        },
        SETTLED_MS,
      );
      const [main] = status.containerStatuses ?? [];
      this.#ids.set(name, main?.containerID ?? '');
      counts.set(name, main?.restartCount ?? -1);
    }
    return counts;
  }

  /** What was reported before a boot is not what comes after it, also where a boot was cut that had got far. */
  noteInstances(names: readonly string[]): void {
    for (const name of names)
      this.#ids.set(name, this.podStatus(name).containerStatuses?.[0]?.containerID ?? '');
  }

  /** Pods come, end and are deleted until it is stopped. */
  beginLoad(random: SeededRandom): Load {
    let isOver = false;
    const run = async (): Promise<void> => {
      while (!isOver) {
        const jobs = this.#jobNames();
        const [oldest] = jobs;
        if (oldest !== undefined && (jobs.length >= MOST_JOBS || random.next() < 0.3)) this.#delete(oldest);
        else this.createPod(this.#job(`job-${++this.jobs}`, random.next() * 6));
        await delay(BETWEEN_JOBS_MS);
      }
    };
    const running = run();
    const stop = (): void => {
      isOver = true;
    };
    return {
      stop,
      [Symbol.asyncDispose]: () => {
        stop();
        return running;
      },
    };
  }

  /** Power on, and off again before it got far. */
  async bootAndCut(afterMs: number): Promise<void> {
    const boot = this.machine.boot().catch(() => {});
    await delay(afterMs);
    await this.machine.cutPower();
    await boot;
  }

  /** Nothing in the log speaks of a damaged file, and pods that are gone have left no directory. */
  async checkFiles(): Promise<void> {
    const { agent } = this.machine;
    // All of it: a cut may take away the end of what the last look has read.
    assert.equal(await agent.script(`grep -aE '${DAMAGE}' /payload/node/kubelet.log || true`), '');
    await eventually(
      'pods without a desired pod to have left no directory',
      async () => {
        const wanted = new Set(
          this.pods().map(
            ({ metadata }) => metadata.annotations?.['kubernetes.io/config.hash'] ?? metadata.uid,
          ),
        );
        const found = (await agent.script('ls /payload/node/root/pods')).split('\n').filter(Boolean);
        const orphans = found.filter((uid) => !wanted.has(uid));
        assert.deepEqual(orphans, []);
        return true;
      },
      SETTLED_MS,
    );
  }

  /** Every pod goes; nothing of them is left. */
  async endAll(): Promise<void> {
    const { agent } = this.machine;
    await agent.script('rm /payload/node/manifests/*');
    for (const { metadata } of this.pods()) this.#delete(metadata.name);
    await eventually('all pods to be gone', () => this.pods().length === 0, SETTLED_MS);
    await eventually(
      'nothing to be left',
      async () => {
        const left = await agent.script(
          [
            'find /payload/node/root/pods /payload/node/logs -mindepth 1 -maxdepth 1',
            "grep -o '/payload/node/root/pods/[^ ]*' /proc/self/mountinfo || true",
            'KUBELET_TS_HOST_DIR=/payload/host /payload/tree/scripts/host/containerd.sh ctr systemd containers ls -q',
            // The network plugin does not make its files safe: one that a cut has left empty names no pod any more.
            'find /payload/host/instances/systemd/cni/ipam -name "10.*" -size +0',
          ].join('\n'),
        );
        assert.equal(left, '');
        return true;
      },
      SETTLED_MS,
    );
  }

  #jobNames(): string[] {
    const names = this.pods()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
    return names.filter((name) => name.startsWith('job-'));
  }

  #job(name: string, seconds: number): SamplePod {
    return this.#withObjects(name, `sleep ${seconds.toFixed(1)}`, { restartPolicy: 'Never' });
  }

  #withObjects(name: string, script: string, spec: object): SamplePod {
    const mounts = ['settings', 'password', 'scratch'].map((one) => ({ name: one, mountPath: `/${one}` }));
    return samplePod(name, {
      ...spec,
      terminationGracePeriodSeconds: 1,
      volumes: [
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'password', secret: { secretName: 'password' } },
        { name: 'scratch', emptyDir: { medium: 'Memory' } },
      ],
      containers: [container('main', ['sh', '-c', script], { volumeMounts: mounts })],
    });
  }

  #delete(name: string): void {
    this.api.store.delete(PODS, name, { gracePeriodSeconds: 1 });
  }
}
