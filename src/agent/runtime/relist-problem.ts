/** What is wrong with a runtime that could not be listed for too long, in the words the node's readiness has for it. */
import { renderGoDuration } from '../../base/text/go-duration.ts';

/** It cannot be worked with then, whatever it says of itself. */
const UNHEALTHY_AFTER_MS = 180_000;

/** In steady time; undefined while all is well, and before anything was tried. */
export function describeRelistProblem(
  startedMs: number | undefined,
  lastRelistMs: number | undefined,
  nowMs: number,
): string | undefined {
  const lastMs = lastRelistMs ?? startedMs;
  if (lastMs === undefined) return undefined;
  const agoMs = nowMs - lastMs;
  if (agoMs <= UNHEALTHY_AFTER_MS) return undefined;
  if (lastRelistMs === undefined) return 'PLEG is not healthy: pleg has yet to be successful';
  const [ago, threshold] = [Math.floor(agoMs / 1000) * 1000, UNHEALTHY_AFTER_MS].map(renderGoDuration);
  return `PLEG is not healthy: pleg was last seen active ${ago} ago; threshold is ${threshold}`;
}
