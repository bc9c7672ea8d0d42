/**
 * Every word of the page that is ours: one file for each language, and the compiler asks for all of it. What the
 * agent, the API and pods say (reasons, messages, names) stays as it is.
 */
import type { ExplanationState } from '../../../core/pod/explain/explanation.ts';

export interface PageText {
  readonly lang: string;
  /** Of the link to this language. */
  readonly languageName: string;
  readonly layout: LayoutText;
  readonly node: NodeText;
  readonly pods: PodsText;
  readonly pod: PodText;
  readonly events: EventsText;
  readonly images: ImagesText;
  readonly volumes: VolumesText;
  /** How an explanation begins. */
  readonly explanation: ExplanationText;
}

export interface LayoutText {
  readonly skip: string;
  readonly navigation: string;
  readonly overview: string;
  readonly languages: string;
  readonly connecting: string;
  readonly live: string;
  readonly lost: string;
  readonly readOnly: string;
  readonly notFound: string;
  readonly none: string;
  readonly unknown: string;
}

export interface NodeText {
  readonly title: string;
  readonly version: string;
  readonly pods: string;
  readonly readyOf: (ready: number, all: number) => string;
  readonly cpu: string;
  readonly memory: string;
  readonly ofCores: (cores: number) => string;
  readonly ofMemory: (total: string) => string;
  readonly disk: string;
  readonly manifests: string;
  readonly conditions: string;
  readonly noPressure: string;
  readonly measuring: string;
  /** Of a plot: what it is, the last and the highest value. */
  readonly plot: (what: string, last: string, highest: string) => string;
}

export interface PodsText {
  readonly title: string;
  readonly empty: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly ready: string;
  readonly restarts: string;
  readonly age: string;
  readonly lastAgo: string;
  readonly rejected: string;
  readonly attention: string;
  readonly allGood: (count: number) => string;
}

export interface PodText {
  readonly gone: string;
  readonly life: string;
  readonly at: string;
  readonly step: string;
  readonly took: string;
  readonly when: string;
  readonly underWay: string;
  readonly tries: (count: number) => string;
  readonly readyAfter: (span: string) => string;
  readonly notReadyYet: string;
  readonly leftOut: (count: number) => string;
  readonly containers: string;
  readonly container: string;
  readonly image: string;
  readonly address: string;
  readonly logs: string;
  readonly logOf: (container: string) => string;
  readonly follow: string;
  readonly plainLog: string;
  readonly logEnded: string;
  readonly usage: string;
}

export interface EventsText {
  readonly title: string;
  readonly empty: string;
  readonly seen: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
  readonly times: (count: number) => string;
  readonly strip: (count: number, warnings: number) => string;
  readonly all: string;
}

export interface ImagesText {
  readonly title: string;
  readonly image: string;
  readonly id: string;
  readonly size: string;
  readonly lastUsed: string;
  readonly state: string;
  readonly inUse: string;
  readonly pinned: string;
  readonly unused: string;
  readonly wouldGo: string;
  readonly never: string;
  readonly now: string;
  readonly disk: (percent: number) => string;
  readonly diskUnknown: string;
  readonly plan: (count: number, size: string) => string;
  readonly noPlan: string;
  readonly failed: string;
}

export interface VolumesText {
  readonly title: string;
  readonly empty: string;
  readonly pod: string;
  readonly kind: string;
  readonly usedBy: string;
}

export interface ExplanationText {
  readonly states: Readonly<Record<ExplanationState, string>>;
  readonly endingFor: string;
  readonly since: string;
  readonly nextTry: string;
  readonly in: string;
}
