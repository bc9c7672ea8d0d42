import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ALL_FLAGS } from '../flag-table.ts';
import { AGENT_VERSION } from '../version.ts';
import { renderHelp, renderRawVersion, renderVersion } from './help.ts';

describe('renderHelp', () => {
  const lines = renderHelp().split('\n');

  it('has one line per flag, deprecated ones marked', () => {
    for (const flag of ALL_FLAGS) {
      const line = lines.find((text) => new RegExp(`^ {2}(-\\w, | {4})--${flag.name} `).test(text));
      assert.ok(line, flag.name);
      assert.equal(line.includes('(DEPRECATED: '), flag.deprecated !== undefined, flag.name);
      assert.ok(line.includes(flag.about), flag.name);
    }
  });

  it('shows defaults and short forms', () => {
    const text = lines.join('\n');
    assert.match(text, /^ {2}-v, --v uint32 +log verbosity$/m);
    assert.match(text, /^ {6}--read-only-port int32 .*\(default 10255\)/m);
    assert.match(text, /^ {6}--root-dir string .*\(default "\/var\/lib\/kubelet"\)$/m);
  });
});

describe('renderVersion', () => {
  it('prints the release with our build metadata', () => {
    assert.equal(renderVersion(), `Kubernetes v1.36.4+ts.${AGENT_VERSION}\n`);
  });

  it('carries the version of package.json', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
    assert.equal(AGENT_VERSION, manifest.version);
  });

  it('prints its parts on request', () => {
    assert.match(renderRawVersion(), /^version\.Info\{"major":"1","minor":"36",/);
  });
});
