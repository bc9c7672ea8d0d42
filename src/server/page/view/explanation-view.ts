/** What a pod waits for, as one sentence whose times go on. The words around it are translated, its reasons are not. */
import { type Html, html } from '../../../base/text/html.ts';
import type { ExplanationParts } from '../../../core/pod/explain/explanation.ts';
import { renderAge, renderRemaining } from './moments.ts';
import type { ViewContext } from './view-context.ts';

export function renderExplanation(parts: ExplanationParts, context: ViewContext): Html {
  const { state, waitsFor, sinceMs, tried, nextTryAtMs, nextStep, goesOn } = parts;
  const { states, endingFor, since, nextTry, in: within } = context.text.explanation;
  const subject =
    waitsFor === undefined ? '' : state === 'ending' ? `${endingFor} ${waitsFor}` : ` ${waitsFor}`;
  const age = sinceMs === undefined ? '' : html` (${since} ${renderAge(sinceMs, context)})`;
  const next =
    nextTryAtMs === undefined
      ? goesOn === undefined
        ? ''
        : `; ${goesOn}`
      : html`; ${nextStep ?? nextTry} ${within} ${renderRemaining(nextTryAtMs, context)}`;
  return html`${states[state]}${subject}${age}${tried === undefined ? '' : `: ${onOneLine(tried)}`}${next}.`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
}
