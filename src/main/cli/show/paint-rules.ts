/** What is coloured in the texts of the sub-commands, by the words in them. Patterns have no groups of their own. */
import type { Tint } from './paint.ts';

export type PaintRule = readonly [pattern: RegExp, tint: Tint];
export type PaintedKind = 'table' | 'events' | 'sentences' | 'timeline' | 'tree' | 'findings';

/** A line in capitals. */
const TITLES: PaintRule = [/^[A-Z][A-Z ()a-z]* {3}[A-Z()a-z]+$/, 'bold'];

/** Names of pods have no capitals, states always do. */
const STATES: readonly PaintRule[] = [
  [/\b(?:Running|Completed)\b/, 'good'],
  [/\b(?:Pending|ContainerCreating|PodInitializing|Terminating|NotReady|Init:\d+\/\d+)/, 'busy'],
  [
    /\b(?:Init:)?(?:Rejected \([^)\n]*\)|[A-Z]\w*(?:Error|BackOff|Killed|Exceeded)|Error|Err[A-Z]\w*|OutOf\w+|Evicted|Failed)/,
    'bad',
  ],
];

export const PAINT_RULES: Readonly<Record<PaintedKind, readonly PaintRule[]>> = {
  table: [TITLES, ...STATES, [/[\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588]+/, 'good']],
  events: [TITLES, [/\bWarning\b/, 'busy'], [/ Normal {2,}/, 'dim']],
  sentences: [
    [/^[^\s/:]+\/[^\s:]+:/, 'bold'],
    [/\bRejected\b/, 'bad'],
    [/\bWaiting\b/, 'busy'],
  ],
  timeline: [TITLES, [/\u2588+/, 'good'], [/\u2591+/, 'bad'], [/\u25c6/, 'busy']],
  findings: [
    [/^ok\b/, 'good'],
    [/^warning\b/, 'busy'],
    [/^problem\b/, 'bad'],
    [/(?<=^(?:ok {5}|warning|problem) {2})\S(?: ?\S)*/, 'bold'],
    [/\u2192/, 'bold'],
  ],
  tree: [
    [/^[^\s\u2502\u251c\u2514].*$/, 'bold'],
    [/[\u2502\u251c\u2514\u2500]+/, 'dim'],
    [/\(running\)$/, 'good'],
    [/\(waiting[^)\n]*\)$/, 'busy'],
    [/\(ended with exit code 0\)$/, 'dim'],
    [/\(ended with exit code \d+\)$/, 'bad'],
  ],
};
