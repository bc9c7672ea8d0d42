/** Every parser that is fuzzed. A new one is a line here. */
import type { FuzzTarget } from './fuzz-target.ts';
import { apiExchange } from './targets/api-exchange-target.ts';
import { protobufMessage, responseHead, spdy } from './targets/byte-targets.ts';
import { channels } from './targets/channel-target.ts';
import { kubeconfig, manifest } from './targets/document-targets.ts';
import { h2Session } from './targets/h2-session-target.ts';
import { h2 } from './targets/h2-target.ts';
import { jsonLines, logEntry, mountinfo } from './targets/line-targets.ts';
import { cpuState, memoryState } from './targets/state-targets.ts';
import { duration, imageReference, quantity, requestTarget } from './targets/text-targets.ts';

export const TARGETS: readonly FuzzTarget[] = [
  ...[quantity, duration, requestTarget, imageReference],
  ...[logEntry, mountinfo, jsonLines],
  ...[spdy, responseHead, protobufMessage, channels, h2, h2Session, apiExchange],
  ...[kubeconfig, manifest],
  ...[cpuState, memoryState],
];
