/**
 * One page on its way to the reader, from its top. A browser takes in whatever has arrived before it draws anything,
 * and a table of a hundred pods takes it longer than all else. So the table waits until what stands above it is drawn:
 *
 *   frame ──► first sections ──► drawn, says the browser ──► the rest
 *
 * Short pages, and callers that draw nothing, get all at once. The order is that of the document, so what is shown
 * stays where it is.
 */
import { setImmediate } from 'node:timers/promises';
import type { Html } from '../../base/text/html.ts';
import type { ReplySink } from '../http/http-exchange.ts';
import type { DrawnPages } from './drawn-pages.ts';
import { type PageFrame, renderEnd, renderMark, renderTop } from './view/layout.ts';
import { renderSection, type Section } from './view/section.ts';
import type { ViewContext } from './view/view-context.ts';

/** Sections of so many characters together are drawn as soon as a page without any. */
const QUICKLY_DRAWN = 8_000;

export interface SentPage {
  readonly frame: PageFrame;
  readonly context: ViewContext;
  readonly gather: () => Promise<readonly Section[]>;
  /** Undefined for a reader that reports nothing. */
  readonly drawnPages: DrawnPages | undefined;
}

export async function streamPage(page: SentPage, sink: ReplySink, signal: AbortSignal): Promise<void> {
  const { frame, context, drawnPages } = page;
  const send = (...parts: readonly (Html | string)[]) => sink.write(Buffer.from(parts.join('')));
  await send(renderTop(frame, context));
  // What was written leaves with the next turn: a browser shows it while the rest is made.
  await setImmediate();
  const sections = (await page.gather()).map((section) => renderSection(section).toString());
  const firstCount = countFirst(sections);
  const rest = sections.slice(firstCount);
  if (drawnPages === undefined || rest.length === 0) return send(...sections, renderEnd(frame, context));
  // Before the mark is sent, so that no report is missed.
  const { name, drawn } = drawnPages.expect(signal);
  await send(...sections.slice(0, firstCount), renderMark(name, context));
  await drawn;
  // Also when the listener stops: it lets replies end. Where the reader has gone, the write fails.
  await send(...rest, renderEnd(frame, context));
}

/** How many are drawn quickly. */
function countFirst(sections: readonly string[]): number {
  let length = 0;
  const slow = sections.findIndex((section) => {
    length += section.length;
    return length > QUICKLY_DRAWN;
  });
  return slow < 0 ? sections.length : slow;
}
