/**
 * Volumes of one flexVolume driver. The driver does the mounts; where it does
 * not support a command the agent does what is usual. Order of a set-up: the
 * pod's place → attached → device mounted once for the node (drivers that
 * attach) → mounted for the pod; taking away is the reverse, the place last.
 */

import { join } from 'node:path';
import { KeyedMutex } from '../../../base/async/keyed-mutex.ts';
import { AgentError } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { StringMap } from '../../../core/api/meta.ts';
import type { FlexSource } from '../../../core/api/volume.ts';
import { parsePodUid } from '../../../core/model/ids.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import { joinInside, toPathComponent } from '../../../core/model/path-component.ts';
import { podsDirectory, volumeDirectory } from '../../../core/model/pod-paths.ts';
import {
  type FlexAnswer,
  type FlexCapabilities,
  renderFlexOptions,
  toFlexOptions,
  toFlexPodOptions,
} from '../../../core/volume/flex/flex-call.ts';
import { toOwnership } from '../../../core/volume/ownership.ts';
import type { MountStage } from '../../../core/volume/volume-source.ts';
import type { HostFiles } from '../../../ports/host/host-files.ts';
import type { Mounter } from '../../../ports/host/mounter.ts';
import type { Kit } from '../../../ports/kit.ts';
import type { VolumeAttachments } from '../../../ports/storage/volume-attachments.ts';
import type {
  MountedVolume,
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../../ports/storage/volume-driver.ts';
import { hasErrno, toHostError } from '../../linux/host-error.ts';
import type { runProgram } from '../../linux/program/run-program.ts';
import { rmdir } from '../../linux/storage/storage-fs.ts';
import { mountFormatted, toDeviceMount } from '../place/format-device.ts';
import { bindDirectory, makePlace } from '../place/mount-place.ts';
import { tryOwnership } from '../place/ownership-progress.ts';
import { readVolumeSecret, type SecretLookup } from '../place/read-volume-secret.ts';
import { removeMountPoint } from '../place/remove-mount-point.ts';
import { createFileSystemGauge } from '../place/volume-gauges.ts';
import type { FlexExecutable } from './flex-executable.ts';

const DEFAULT_FILE_SYSTEM = 'ext4';

/** The program of a vendor, and what it said it can do. */
export interface FlexProgram {
  /** `<vendor>/<driver>`. */
  readonly driver: string;
  readonly executable: Pick<FlexExecutable, 'call'>;
  readonly capabilities: FlexCapabilities;
}

export interface FlexDriverParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly program: FlexProgram;
  readonly mounter: Mounter;
  readonly files: Pick<HostFiles, 'listDirectory' | 'exists'>;
  readonly node: Pick<NodeProfile, 'rootDir' | 'nodeName'>;
  readonly readSecret: SecretLookup;
  /** Undefined where the kubelet itself has to attach volumes. */
  readonly attachments: VolumeAttachments | undefined;
  readonly run?: typeof runProgram;
}

interface Wanted {
  readonly request: VolumeRequest;
  readonly source: FlexSource;
  readonly readOnly: boolean;
  /** Without what only mounting for a pod gets. */
  readonly options: string;
}

export class FlexDriver implements VolumeDriver {
  readonly plugin: string;
  readonly source = 'flexVolume';
  readonly refreshes = false;
  readonly #parts: FlexDriverParts;
  /** By volume. */
  readonly #mutex = new KeyedMutex();

  constructor(parts: FlexDriverParts) {
    this.#parts = parts;
    this.plugin = parts.program.driver;
  }

  async mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>> {
    const { volume, persistent, directory, name } = request;
    const { capabilities } = this.#parts.program;
    const source = persistent?.volume.spec.flexVolume ?? volume.flexVolume ?? {};
    const readOnly = persistent?.readOnly ?? source.readOnly ?? false;
    const options = renderFlexOptions(toFlexOptions(name, source, readOnly));
    const wanted = { request, source, readOnly, options };
    await makePlace(directory);
    const device = capabilities.attach ? await this.#whenAttached(wanted) : accept('');
    if (!device.ok) return device;
    return this.#mutex.run(name, async () => {
      const mounted = await this.#mount(wanted, device.value);
      if (!mounted.ok) return mounted;
      const prepared = {
        hostPath: directory,
        readOnly,
        selinuxRelabel: !readOnly && capabilities.selinuxRelabel,
      };
      return accept({
        prepared,
        ...(capabilities.supportsMetrics ? { gauge: createFileSystemGauge(directory) } : {}),
      });
    });
  }

  async unmount(place: VolumePlace, signal?: AbortSignal): Promise<void> {
    const { podUid, name, directory } = place;
    const { program, mounter, attachments, files } = this.#parts;
    const { capabilities, executable } = program;
    await this.#mutex.run(name, async () => {
      if (await this.#isMounted(directory)) await this.#undo('unmount', directory, signal);
      // A driver may do without mounts; and one that was never asked to mount may refuse to undo it.
      else if (await files.exists(directory)) await executable.call('unmount', [directory], signal);
      if (capabilities.attach && !(await this.#isUsedByOthers(podUid, name))) {
        const global = this.#devicePlace(name);
        if (await this.#isMounted(global)) await this.#undo('unmountdevice', global, signal);
        await removeEmpty(global);
        if (attachments === undefined) await this.#detach(name, signal);
      }
      // Also what is left of a driver that did only half.
      await removeMountPoint(mounter, directory);
      attachments?.release(this.#known(name), podUid);
    });
  }

  async #mount(wanted: Wanted, device: string): Promise<VolumeOutcome<void>> {
    const { request, source, readOnly } = wanted;
    const { pod, directory, signal, name } = request;
    if (await this.#isMounted(directory)) return accept(undefined);
    signal.throwIfAborted();
    if (this.#parts.program.capabilities.attach) {
      const made = await this.#mountDevice(wanted, device);
      if (!made.ok) return made;
    }
    const secrets = await this.#readSecrets(request, source);
    if (!secrets.ok) return secrets;
    const options = toFlexOptions(name, source, readOnly, { ...toFlexPodOptions(pod), ...secrets.value });
    const answer = await this.#parts.program.executable.call(
      'mount',
      [directory, renderFlexOptions(options)],
      signal,
    );
    if (answer.kind === 'failed') return refuse(answer.message);
    if (answer.kind === 'unsupported')
      await bindDirectory(this.#parts.mounter, this.#devicePlace(name), directory, signal);
    const ownership = toOwnership(request.pod, false, true);
    if (!readOnly && this.#parts.program.capabilities.fsGroup && ownership !== undefined)
      await tryOwnership(this.#parts.kit, request, ownership);
    return accept(undefined);
  }

  /** The device that the volume is attached as; empty where the driver needs none. */
  async #whenAttached({ request, options }: Wanted): Promise<VolumeOutcome<string>> {
    const { podUid, name, signal } = request;
    const { program, attachments, node } = this.#parts;
    const { executable } = program;
    const stage: MountStage = 'MountVolume.WaitForAttach';
    let device: string;
    if (attachments === undefined) {
      const attached = await executable.call('attach', [options, node.nodeName], signal);
      if (attached.kind === 'failed') return { ...refuse(attached.message), stage };
      device = attached.kind === 'done' ? attached.device : '';
    } else {
      attachments.hold(this.#known(name), podUid);
      if (!(await attachments.whenAttached(this.#known(name), signal))) {
        signal.throwIfAborted();
        return { ...refuse('Volume not attached according to node status'), stage };
      }
      device = attachments.devicePathOf(this.#known(name));
    }
    const ready = await executable.call('waitforattach', [device, options], signal);
    if (ready.kind === 'failed') return { ...refuse(ready.message), stage };
    return accept(ready.kind === 'done' ? ready.device : device);
  }

  async #mountDevice(
    { request, source, readOnly, options }: Wanted,
    device: string,
  ): Promise<VolumeOutcome<void>> {
    const { signal, name } = request;
    const { program } = this.#parts;
    const { executable } = program;
    const stage: MountStage = 'MountVolume.MountDevice';
    const global = this.#devicePlace(name);
    if (await this.#isMounted(global)) return accept(undefined);
    await makePlace(global);
    const answer = await executable.call('mountdevice', [global, device, options], signal);
    if (answer.kind === 'failed') return { ...refuse(answer.message), stage };
    if (answer.kind === 'done' || device === '') return accept(undefined);
    const format = { device, fsType: source.fsType || DEFAULT_FILE_SYSTEM, readOnly };
    await mountFormatted(this.#parts, request, format, toDeviceMount(format, global, []));
    return accept(undefined);
  }

  async #readSecrets(
    { pod, persistent, signal }: VolumeRequest,
    source: FlexSource,
  ): Promise<Outcome<StringMap>> {
    const { name = '', namespace: other = '' } = source.secretRef ?? {};
    if (name === '') return accept({});
    const namespace = (persistent === undefined ? '' : other) || pod.metadata.namespace;
    const found = await readVolumeSecret(this.#parts.readSecret, namespace, name, signal);
    const failed = `couldn't get secret ${namespace}/${name} err:`;
    if (!found.ok) return refuse(`${failed} ${found.message}`);
    const { data, bytes = {}, secret } = found.value;
    if (secret?.type !== this.plugin) return refuse(`${failed} cannot get secret of type ${this.plugin}`);
    const values = Object.entries({ ...data, ...bytes });
    const encoded = values.map(([key, value]) => [
      `kubernetes.io/secret/${key}`,
      Buffer.from(value).toString('base64'),
    ]);
    return accept(Object.fromEntries(encoded) as StringMap);
  }

  /** Asks the driver, else unmounts as usual. Rejects with AgentError. */
  async #undo(
    command: 'unmount' | 'unmountdevice',
    place: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { program, mounter } = this.#parts;
    const { executable } = program;
    const answer = await executable.call(command, [place], signal);
    requireDone(answer, command, place);
    if (answer.kind === 'unsupported')
      while (await this.#isMounted(place)) await mounter.unmount(place, signal);
  }

  async #detach(name: string, signal: AbortSignal | undefined): Promise<void> {
    const { program, node } = this.#parts;
    const { executable } = program;
    requireDone(await executable.call('detach', [name, node.nodeName], signal), 'detach', name);
  }

  async #isMounted(place: string): Promise<boolean> {
    return (await this.#parts.mounter.mountsBelow(place)).includes(place);
  }

  async #isUsedByOthers(podUid: string, name: string): Promise<boolean> {
    const { files, node } = this.#parts;
    for (const found of await files.listDirectory(podsDirectory(node.rootDir))) {
      const other = parsePodUid(found);
      if (other === undefined || other === podUid) continue;
      if (await files.exists(volumeDirectory(node.rootDir, other, this.plugin, name))) return true;
    }
    return false;
  }

  #known(name: string): string {
    return `${this.plugin}/${name}`;
  }

  #devicePlace(name: string): string {
    const base = join(this.#parts.node.rootDir, 'plugins/kubernetes.io/flexvolume', this.plugin, 'mounts');
    return joinInside(base, toPathComponent(name));
  }
}

function requireDone(answer: FlexAnswer, command: string, what: string): void {
  if (answer.kind === 'failed')
    throw new AgentError('unavailable', `cannot ${command} ${JSON.stringify(what)}: ${answer.message}`);
}

/** The driver may have removed it already. */
async function removeEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw toHostError('remove', directory, error);
  }
}
