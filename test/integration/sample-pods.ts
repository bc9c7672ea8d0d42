/** Manifests for the tests: small pods of the images the host set-up makes. */

export const BUSYBOX = 'localhost/busybox:1';
export const DEMO_WEB = 'localhost/demo-web:1';

export interface SamplePod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly spec: { readonly [field: string]: unknown };
}

/** A pod that runs until it is asked to end, and then ends at once. */
export function sleepingPod(name: string, environment: Readonly<Record<string, string>> = {}): SamplePod {
  const env = Object.entries(environment).map(([key, value]) => ({ name: key, value }));
  return samplePod(name, {
    containers: [container('main', ['/bin/tini', '--', 'sleep', 'infinity'], { env })],
  });
}

/** A pod that runs `script` in a shell. */
export function scriptPod(
  name: string,
  script: string,
  spec: Readonly<Record<string, unknown>> = {},
): SamplePod {
  return samplePod(name, { containers: [container('main', ['sh', '-c', script])], ...spec });
}

export function samplePod(name: string, spec: Readonly<Record<string, unknown>>): SamplePod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 5, ...spec },
  };
}

export function container(
  name: string,
  command: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): object {
  return { name, image: BUSYBOX, imagePullPolicy: 'IfNotPresent', command, ...more };
}
