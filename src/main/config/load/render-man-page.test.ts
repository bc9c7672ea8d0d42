import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLI_FLAGS, flagsOf } from '../cli/cli-flags.ts';
import { VERBS } from '../cli/cli-verbs.ts';
import { renderManPage } from './render-man-page.ts';

describe('renderManPage', () => {
  const page = renderManPage();

  it('has every command with its own flags', () => {
    const common = CLI_FLAGS.filter(({ verbs }) => verbs === undefined).map(({ name }) => name);
    for (const verb of VERBS) {
      const [, section = ''] = page.split(`\n.SS ${verb}\n`);
      const text = section.split(/\n\.S[SH] /)[0]?.replaceAll('\\-', '-') ?? '';
      assert.ok(text.includes(`kubelet ${verb}`), verb);
      for (const { name } of flagsOf(verb))
        if (!common.includes(name)) assert.ok(text.includes(`--${name}\\fR`), `${verb} ${name}`);
    }
  });

  it('has only requests of its own', () => {
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    for (const line of requests) assert.match(line, /^\.(TH|SH|SS|TP|PP|br)( |$)/);
  });

  it('names the flags of the agent', () => assert.match(page, /\\fB\\-\\-root\\-dir string\\fR/));
});
