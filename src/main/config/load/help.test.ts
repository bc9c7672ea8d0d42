import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ALL_FLAGS } from '../flag-table.ts';
import { HONOURED_FIELDS, HONOURED_FLAGS } from '../honoured-fields.ts';
import { AGENT_VERSION } from '../version.ts';
import { renderHelp, renderRawVersion, renderVersion } from './help.ts';

describe('renderHelp', () => {
  const lines = renderHelp().split('\n');

  const whole = lines.join(' ').replace(/\s+/g, ' ');

  it('names every flag once with what it is about, and those without effect in a list', () => {
    for (const { name, about, target } of ALL_FLAGS) {
      const found = lines.filter((text) => new RegExp(`^ {2}(-\\w, | {4})--${name}( |$)`).test(text));
      assert.equal(found.length, target.kind === 'ignored' ? 0 : 1, name);
      assert.ok(whole.includes(target.kind === 'ignored' ? ` --${name} ` : about), name);
    }
    const idle = ALL_FLAGS.filter(
      ({ target }) =>
        (target.kind === 'config' && !HONOURED_FIELDS.has(target.path)) ||
        (target.kind === 'process' && !HONOURED_FLAGS.has(target.key)),
    );
    assert.equal(lines.filter((text) => / {2}\S.* \[-\]$/.test(text)).length, idle.length);
    assert.doesNotMatch(whole, /--root-dir string state directory \(default "\/var\/lib\/kubelet"\) \[-\]/);
  });

  it('fits the terminal', () => {
    const longest = (columns?: number): number => {
      const text = renderHelp(columns)
        .split('\n')
        .filter((line) => !line.startsWith('  kubelet ') && line.trim().includes(' '));
      return Math.max(...text.map(({ length }) => length));
    };
    assert.ok(longest(72) <= 72);
    assert.ok(longest() <= 100 && longest() > 72);
    assert.ok(longest(400) <= 120);
  });

  it('says once that settings belong into the file', () => {
    assert.equal(whole.match(/deprecated in favour of the file/gi)?.length, 1);
    assert.doesNotMatch(whole, /should be set via the config file/);
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
