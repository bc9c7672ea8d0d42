import assert from 'node:assert/strict';
import { SourceMap } from 'node:module';
import { describe, it } from 'node:test';
import { readStack } from './read-stack.ts';

/** Column 5 of the first line is line 3, column 7 of the source. */
const MAP = new SourceMap({
  version: 3,
  file: 'kubelet.cjs',
  sources: ['../src/agent/pod/pod-worker.ts'],
  sourcesContent: [],
  names: [],
  mappings: 'IAEM',
  sourceRoot: '',
});

describe('readStack', () => {
  it('says file and line of the sources, and leaves all else alone', () => {
    const trace = 'Error: no\n    at x (/opt/dist/kubelet.cjs:1:5)\n    at y (node:fs:1:2)\n';
    assert.equal(
      readStack(trace, MAP),
      'Error: no\n    at src/agent/pod/pod-worker.ts:3:7\n    at y (node:fs:1:2)\n',
    );
  });
});
