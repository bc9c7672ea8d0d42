import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as wire from '../../gen/cri.ts';
import * as checks from './response-checks.ts';

const SANDBOX = { id: 's', metadata: { name: 'n', namespace: 'ns', uid: 'u' }, createdAt: 1 };
const CONTAINER = { id: 'c', metadata: { name: 'n' }, createdAt: 1, image: { image: 'i' }, imageRef: 'r' };

const CONDITION = { type: 'RuntimeReady', status: true, reason: '', message: '' };
const STATUS: wire.StatusResponse = {
  status: undefined,
  info: {},
  runtimeHandlers: [],
  features: undefined,
};

function sandbox(change: object): wire.PodSandboxStatusResponse {
  return wire.decodePodSandboxStatusResponse(
    wire.encodePodSandboxStatusResponse({ status: { ...SANDBOX, ...change } }),
  );
}

function container(change: object): wire.ContainerStatusResponse {
  return wire.decodeContainerStatusResponse(
    wire.encodeContainerStatusResponse({ status: { ...CONTAINER, ...change } }),
  );
}

function image(change: object): wire.ImageStatusResponse {
  return wire.decodeImageStatusResponse(
    wire.encodeImageStatusResponse({ image: { id: 'i', size: 1, ...change } }),
  );
}

describe('response checks', () => {
  it('refuse an answer that lacks something, in the words of other kubelets', () => {
    const version = { version: '0.1.0', runtimeName: 'c', runtimeVersion: '1', runtimeApiVersion: 'v1' };
    const asked = { image: { image: 'busybox' } };
    const cases: readonly (readonly [() => void, string])[] = [
      [
        () => checks.checkVersion({ ...version, runtimeVersion: '', runtimeApiVersion: '' }),
        'not all fields are set in VersionResponse (missing RuntimeApiVersion, RuntimeVersion)',
      ],
      [
        () => checks.checkVersion({ ...version, version: '', runtimeName: '' }),
        'not all fields are set in VersionResponse (missing Version, RuntimeName)',
      ],
      [
        () => checks.checkVersion({ ...version, runtimeName: '' }),
        'not all fields are set in VersionResponse (missing RuntimeName)',
      ],
      [
        () =>
          checks.checkRunPodSandbox(
            { podSandboxId: '' },
            { config: { metadata: { name: 'web', uid: 'u' } } },
          ),
        'PodSandboxId is not set for sandbox "name:web uid:u namespace: attempt:0"',
      ],
      [() => checks.checkPodSandboxStatus(sandbox({ id: '' })), 'status.Id is not set'],
      [() => checks.checkPodSandboxStatus(sandbox({ metadata: undefined })), 'status.Metadata is not set'],
      [
        () => checks.checkPodSandboxStatus(sandbox({ metadata: { name: 'n', uid: 'u' } })),
        'metadata.Name, metadata.Namespace or metadata.Uid is not in metadata "name:n uid:u namespace: attempt:0"',
      ],
      [
        () => checks.checkPodSandboxStatus(sandbox({ metadata: { namespace: 'ns', uid: 'u' } })),
        'metadata.Name, metadata.Namespace or metadata.Uid is not in metadata "name: uid:u namespace:ns attempt:0"',
      ],
      [
        () => checks.checkPodSandboxStatus(sandbox({ metadata: { name: 'n', namespace: 'ns' } })),
        'metadata.Name, metadata.Namespace or metadata.Uid is not in metadata "name:n uid: namespace:ns attempt:0"',
      ],
      [() => checks.checkPodSandboxStatus(sandbox({ createdAt: 0 })), 'status.CreatedAt is not set'],
      [
        () =>
          checks.checkCreateContainer(
            { containerId: '' },
            { config: { metadata: { name: 'web', attempt: 2 } } },
          ),
        'ContainerId is not set for container "name:web attempt:2"',
      ],
      [() => checks.checkContainerStatus(container({ id: '' })), 'status.Id is not set'],
      [() => checks.checkContainerStatus(container({ metadata: undefined })), 'status.Metadata is not set'],
      [
        () => checks.checkContainerStatus(container({ metadata: {} })),
        'metadata.Name is not in metadata "name: attempt:0"',
      ],
      [() => checks.checkContainerStatus(container({ createdAt: 0 })), 'status.CreatedAt is not set'],
      [() => checks.checkContainerStatus(container({ image: undefined })), 'status.Image is not set'],
      [() => checks.checkContainerStatus(container({ imageRef: '' })), 'status.ImageRef is not set'],
      [() => checks.checkUrl({ url: '' }), 'URL is not set'],
      [
        () =>
          checks.checkStatus({
            ...STATUS,
            status: { conditions: [CONDITION] },
          }),
        'RuntimeReady or NetworkReady condition are not set',
      ],
      [() => checks.checkStatus(STATUS), 'RuntimeReady or NetworkReady condition are not set'],
      [() => checks.checkImageStatus(image({ id: '' }), asked), 'Id or size of image "busybox" is not set'],
      [() => checks.checkImageStatus(image({ size: 0 }), asked), 'Id or size of image "busybox" is not set'],
      [() => checks.checkPullImage({ imageRef: '' }, asked), 'imageRef of image "busybox" is not set'],
    ];
    for (const [check, message] of cases)
      assert.throws(check, { name: 'AgentError', code: 'unknown', message });
  });

  it('accept whole answers and answers that say "not here"', () => {
    checks.checkPodSandboxStatus(sandbox({}));
    checks.checkContainerStatus(container({}));
    checks.checkImageStatus(image({}), {});
    checks.checkImageStatus({ image: undefined, info: {} }, {});
    checks.checkContainerStatus({ status: undefined, info: {} });
    checks.checkPodSandboxStatus({ ...sandbox({}), status: undefined });
    checks.checkStatus({ ...STATUS, status: { conditions: [CONDITION, CONDITION] } });
  });
});
