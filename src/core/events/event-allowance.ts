/**
 * How many events an object may have written: 25 at once, then one every five
 * minutes. Keeps one broken pod from filling the API server.
 */
import type { TokenRate } from '../../base/async/token-bucket.ts';

export const EVENT_ALLOWANCE: TokenRate = { perSecond: 1 / 300, burst: 25 };
