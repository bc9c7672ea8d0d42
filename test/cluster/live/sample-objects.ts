/** Objects for the live tests, of the images that the host set-up makes. */
import { BUSYBOX, container } from '../../integration/sample-pods.ts';

export { BUSYBOX };

/** Runs until it is asked to end, and then ends at once. */
export const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

/** The template of a workload's pods; `app` is their label. */
export function podTemplate(app: string, more: Readonly<Record<string, unknown>> = {}): object {
  return {
    metadata: { labels: { app } },
    spec: { terminationGracePeriodSeconds: 5, containers: [container('main', SLEEP)], ...more },
  };
}

/** A Deployment, DaemonSet or StatefulSet that is named and labelled `app`. */
export function workload(kind: string, app: string, spec: Readonly<Record<string, unknown>> = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: app },
    spec: { selector: { matchLabels: { app } }, template: podTemplate(app), ...spec },
  };
}

export interface PodOptions {
  /** Bypasses the scheduler. */
  readonly nodeName?: string;
  /** Of its container. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A pod that sleeps. */
export function sleeper(name: string, { nodeName, fields = {} }: PodOptions = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      terminationGracePeriodSeconds: 5,
      containers: [container('main', SLEEP, fields)],
    },
  };
}
