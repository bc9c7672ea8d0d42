/** The pages by their paths: which sections each has, and from what they are made. */
import { errorText } from '../../base/errors.ts';
import { html } from '../../base/text/html.ts';
import type { RememberedEvent } from '../../core/events/remembered-event.ts';
import type { ImageReport } from '../../ports/runtime/image-report.ts';
import { findPod } from '../pods/find-pod.ts';
import { withRejected } from '../pods/rejected-list.ts';
import type { PageSource } from './page-source.ts';
import type { UsageSampler } from './usage-sampler.ts';
import { renderEvents } from './view/events-view.ts';
import { renderImages } from './view/images-view.ts';
import { renderNode } from './view/node-view.ts';
import { renderContainers, renderLog, renderPodSummary } from './view/pod-view.ts';
import { renderPods } from './view/pods-view.ts';
import { type Section, toSection } from './view/section.ts';
import type { ViewContext } from './view/view-context.ts';
import { readViewedPods, toViewedPod } from './view/viewed-pod.ts';
import { renderVolumes } from './view/volumes-view.ts';
import { renderLife } from './view/waterfall.ts';

const FEW_EVENTS = 12;
const MANY_EVENTS = 300;

export interface ViewParts {
  readonly source: PageSource;
  readonly usage: Pick<UsageSampler, 'last'>;
  /** Asks the runtime, or remembers what it said a moment ago. */
  readonly readImages: () => Promise<ImageReport>;
}

/** What a page is about beside its kind. */
export type ViewQuery = Readonly<Record<'uid' | 'container', string | undefined>>;

type View = (parts: ViewParts, context: ViewContext) => readonly Section[] | Promise<readonly Section[]>;

/** Undefined when there is no such page. `path` has the parts below the first. */
export function findView(path: readonly string[], query: ViewQuery): View | undefined {
  const [kind = '', namespace, name, ...more] = path;
  if (kind === 'pods' && namespace !== undefined && name !== undefined && more.length === 0)
    return (parts, context) => viewPod(parts, { namespace, name, query }, context);
  return path.length > 1 || !Object.hasOwn(VIEWS, kind) ? undefined : VIEWS[kind];
}

const VIEWS: Readonly<Record<string, View>> = {
  '': ({ source, usage }, context) => {
    const { nodeName, node } = source;
    const pods = readViewedPods(source);
    const rejected = source.pods.rejected.list();
    const more = html`<p><a href="${context.links.to(['events'])}">${context.text.events.all}</a></p>`;
    const data = {
      ...node.about,
      name: nodeName,
      pods,
      usage: usage.last,
      problems: node.problems(),
      observations: node.evictor?.last.observations,
    };
    return [
      renderNode(data, context),
      renderPods({ pods, rejected, usage: usage.last }, context),
      renderEvents(listEvents(source), FEW_EVENTS, context, more),
    ];
  },
  events: ({ source }, context) => [renderEvents(listEvents(source), MANY_EVENTS, context)],
  images: async ({ readImages }, context) => {
    const report = await readImages().catch((error: unknown) => ({ problem: errorText(error) }));
    return [renderImages(report, context)];
  },
  volumes: ({ source }, context) => [renderVolumes(readViewedPods(source), context)],
};

function listEvents({ events, pods, nodeName }: PageSource): readonly RememberedEvent[] {
  return withRejected(events, pods.rejected, nodeName).list();
}

interface AskedPod {
  readonly namespace: string;
  readonly name: string;
  readonly query: ViewQuery;
}

/** One section that says so when the pod is gone. */
function viewPod(
  { source, usage }: ViewParts,
  { namespace, name, query }: AskedPod,
  context: ViewContext,
): readonly Section[] {
  const pod = findPod(source.pods, namespace, name, query.uid);
  if (pod === undefined) return [toSection('pod', name, html`<p>${context.text.pod.gone}</p>`)];
  const facts = toViewedPod({ ...pod, status: source.pods.statusOf(pod) ?? pod.status ?? {} }, source);
  const container = query.container ?? pod.spec.containers[0]?.name ?? '';
  const timeline = source.pods.timeline(pod);
  const events = listEvents(source).filter(({ object }) =>
    object.uid === undefined
      ? object.name === name && object.namespace === namespace
      : object.uid === pod.metadata.uid,
  );
  return [
    renderPodSummary(facts, usage.last, context),
    renderContainers(facts, container, context),
    renderLog(facts, container, context),
    ...(timeline === undefined ? [] : [renderLife(timeline, context)]),
    renderEvents(events, MANY_EVENTS, context),
  ];
}
