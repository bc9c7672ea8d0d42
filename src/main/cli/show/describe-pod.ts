/**
 * `describe pod`: everything about one pod on one page, in the order kubectl
 * has it, with the explanation where people look first.
 */

import { renderHumanDuration } from '../../../base/text/human-duration.ts';
import { escapeLine, escapeTerminal } from '../../../base/text/terminal-text.ts';
import type { StringMap } from '../../../core/api/meta.ts';
import type { Container } from '../../../core/api/pod.ts';
import type { ContainerState, ContainerStatus } from '../../../core/api/pod-status.ts';
import type { ApiEvent } from '../../../core/events/api-event.ts';
import { toPodRow } from '../../../core/status/pod-row.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import { toDescribedCells } from './render-events.ts';
import { renderTable } from './render-table.ts';

const LABEL_WIDTH = 20;
const NONE = '<none>';

export interface DescribeFacts {
  readonly pod: CliPod;
  readonly explanation: Pick<PodExplanation, 'state' | 'sentence'>;
  /** Of this pod, oldest first. */
  readonly events: readonly ApiEvent[];
  /** What its containers have of the machine for themselves. */
  readonly assigned?: StringMap;
  readonly nowMs: number;
}

export function renderDescription({ pod, explanation, events, assigned = {}, nowMs }: DescribeFacts): string {
  const { metadata, spec, status = {} } = pod;
  const lines = [
    field('Name', metadata.name),
    field('Namespace', metadata.namespace),
    field('UID', metadata.uid),
    ...(spec.priority === undefined ? [] : [field('Priority', String(spec.priority))]),
    field('Node', [spec.nodeName, status.hostIP].filter((text) => text !== undefined).join('/') || NONE),
    field('Start Time', status.startTime ?? NONE),
    ...mapField('Labels', metadata.labels),
    ...mapField('Annotations', metadata.annotations),
    field('Status', toPodRow(pod, nowMs, explanation.state === 'ending').status),
    ...(status.reason === undefined ? [] : [field('Reason', status.reason)]),
    ...(status.message === undefined ? [] : [field('Message', status.message)]),
    field('Explanation', explanation.sentence),
    field('IP', status.podIP ?? ''),
    ...containerSection('Init Containers', spec.initContainers, status.initContainerStatuses, nowMs),
    ...containerSection('Containers', spec.containers, status.containerStatuses, nowMs),
    ...containerSection(
      'Ephemeral Containers',
      spec.ephemeralContainers,
      status.ephemeralContainerStatuses,
      nowMs,
    ),
    ...(Object.keys(assigned).length === 0 ? [] : mapField('Assigned', assigned)),
    'Conditions:',
    ...indent(
      renderTable([
        ['Type', 'Status', 'Since', 'Reason'],
        ...(status.conditions ?? []).map(({ type, status: value, lastTransitionTime, reason = '' }) => [
          type,
          value,
          lastTransitionTime === undefined ? '' : renderHumanDuration(nowMs - Date.parse(lastTransitionTime)),
          reason,
        ]),
      ]),
    ),
    ...volumeSection(pod),
    field('QoS Class', status.qosClass ?? NONE),
    ...eventSection(events, nowMs),
  ];
  return `${lines.join('\n')}\n`;
}

function field(label: string, value: string, depth = 0): string {
  const start = `${'  '.repeat(depth)}${`${escapeLine(label)}:`.padEnd(LABEL_WIDTH - 2 * depth)}`;
  return `${start}${toBlock(value)}`.trimEnd();
}

/** Lines after the first stand below it: no text can pass for a field. */
function toBlock(value: string): string {
  return escapeTerminal(value).replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH)}`);
}

function mapField(label: string, map: StringMap | undefined): string[] {
  const entries = Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return [field(label, NONE)];
  return entries.map(([key, value], index) => {
    const text = `${key}: ${value}`;
    return index === 0 ? field(label, text) : `${' '.repeat(LABEL_WIDTH)}${toBlock(text)}`;
  });
}

function containerSection(
  title: string,
  containers: readonly Container[] | undefined,
  statuses: readonly ContainerStatus[] | undefined,
  nowMs: number,
): string[] {
  if (containers === undefined || containers.length === 0) return [];
  const described = containers.flatMap((container) =>
    describeContainer(
      container,
      statuses?.find(({ name }) => name === container.name),
      nowMs,
    ),
  );
  return [`${title}:`, ...described];
}

function describeContainer(
  container: Container,
  status: ContainerStatus | undefined,
  nowMs: number,
): string[] {
  const { name, image = NONE, command, args, ports = [], volumeMounts = [], resources } = container;
  const line = (label: string, value: string): string => field(label, value, 2);
  const probes = [
    ['Liveness', container.livenessProbe],
    ['Readiness', container.readinessProbe],
    ['Startup', container.startupProbe],
  ] as const;
  return [
    `  ${escapeLine(name)}:`,
    line('Container ID', status?.containerID ?? ''),
    line('Image', image),
    line('Image ID', status?.imageID ?? ''),
    ...(ports.length === 0
      ? []
      : [
          line(
            'Ports',
            ports.map(({ containerPort, protocol = 'TCP' }) => `${containerPort}/${protocol}`).join(', '),
          ),
        ]),
    ...(command === undefined ? [] : [line('Command', JSON.stringify(command))]),
    ...(args === undefined ? [] : [line('Args', JSON.stringify(args))]),
    ...describeState('State', status?.state ?? {}, nowMs),
    ...(Object.keys(status?.lastState ?? {}).length === 0
      ? []
      : describeState('Last State', status?.lastState ?? {}, nowMs)),
    line('Ready', status?.ready === true ? 'True' : 'False'),
    line('Restart Count', String(status?.restartCount ?? 0)),
    ...resourceLine('Limits', resources?.limits),
    ...resourceLine('Requests', resources?.requests),
    ...probes.flatMap(([label, probe]) => (probe === undefined ? [] : [line(label, JSON.stringify(probe))])),
    line('Mounts', volumeMounts.length === 0 ? NONE : ''),
    ...volumeMounts.map(
      ({ mountPath, name: volume, readOnly }) =>
        `      ${escapeLine(`${mountPath} from ${volume}`)} (${readOnly === true ? 'ro' : 'rw'})`,
    ),
  ];
}

function describeState(
  label: string,
  { waiting, running, terminated }: ContainerState,
  nowMs: number,
): string[] {
  const deep = (name: string, value: string | undefined): string[] =>
    value === undefined || value === '' ? [] : [field(name, value, 3)];
  const time = (name: string, text: string | undefined): string[] =>
    deep(
      name,
      text === undefined ? undefined : `${text} (${renderHumanDuration(nowMs - Date.parse(text))} ago)`,
    );
  if (running !== undefined) return [field(label, 'Running', 2), ...time('Started', running.startedAt)];
  if (terminated !== undefined)
    return [
      field(label, 'Terminated', 2),
      ...deep('Reason', terminated.reason),
      ...deep('Message', terminated.message),
      ...deep('Exit Code', String(terminated.exitCode)),
      ...time('Started', terminated.startedAt),
      ...time('Finished', terminated.finishedAt),
    ];
  return [
    field(label, 'Waiting', 2),
    ...deep('Reason', waiting?.reason),
    ...deep('Message', waiting?.message),
  ];
}

function resourceLine(label: string, list: Readonly<Record<string, unknown>> | undefined): string[] {
  const texts = Object.entries(list ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  return texts.length === 0 ? [] : [field(label, texts.join(', '), 2)];
}

function volumeSection({ spec }: CliPod): string[] {
  const volumes = spec.volumes ?? [];
  if (volumes.length === 0) return [field('Volumes', NONE)];
  const described = volumes.map((volume) => {
    const { name, ...source } = volume;
    const [kind = NONE] = Object.keys(source);
    return field(name, `${kind} ${JSON.stringify(Object.values(source)[0] ?? {})}`, 1);
  });
  return ['Volumes:', ...described];
}

function eventSection(events: readonly ApiEvent[], nowMs: number): string[] {
  if (events.length === 0) return [field('Events', NONE)];
  const rows = events.map((event) => toDescribedCells(event, nowMs));
  return ['Events:', ...indent(renderTable([['Type', 'Reason', 'Age', 'Object', 'Message'], ...rows]))];
}

function indent(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}
