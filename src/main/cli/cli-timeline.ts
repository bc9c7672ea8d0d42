/** `timeline POD`: what happened to a pod when, and what took how long. */
import type { ListedTimeline } from '../../server/pods/timeline-route.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readPod, toPath } from './cli-pod.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTimeline } from './show/render-timeline.ts';

/** Of what is no terminal. */
const USUAL_COLUMNS = 100;

export async function showTimeline(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const { metadata } = await readPod(context);
  const path = toPath('timeline', metadata.namespace, metadata.name);
  const timeline = await client.getJson<ListedTimeline>(`${path}?uid=${encodeURIComponent(metadata.uid)}`);
  const { output } = asked.options;
  const { columns = USUAL_COLUMNS } = host.stdout as { readonly columns?: number };
  if (isDocument(output)) printText(host.stdout, await renderDocument(timeline, output));
  else printPainted(host, renderTimeline(timeline, host.now(), columns), 'timeline');
  return 0;
}
