import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { flagsOf } from './cli-flags.ts';
import { VERBS } from './cli-verbs.ts';
import { renderCompletion, type Shell } from './render-completion.ts';

/** What bash offers for a command line, with a kubelet whose pods are these. */
function complete(line: string, pods: string): string[] {
  const words = line.split(' ');
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `kubelet() { printf '%s\\n' ${pods}; }
${renderCompletion('bash')}
COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _kubelet; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 20_000 });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((text) => text !== '');
}

describe('renderCompletion', () => {
  it('names every command and each of its flags, in every shell', () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const satisfies Shell[]) {
      const text = renderCompletion(shell);
      for (const verb of VERBS) {
        assert.match(text, new RegExp(`\\b${verb}\\b`), `${shell} ${verb}`);
        for (const { name } of flagsOf(verb))
          assert.ok(text.includes(shell === 'fish' ? `-l ${name} ` : `--${name}`), `${shell} ${name}`);
      }
    }
  });

  it('completes commands, flags and words in bash', () => {
    assert.deepEqual(complete('kubelet exp', "''"), ['explain']);
    assert.deepEqual(complete('kubelet logs --pre', "''"), ['--previous', '--prefix']);
    assert.deepEqual(complete('kubelet get pods --tai', "''"), []);
    assert.deepEqual(complete('kubelet top con', "''"), ['containers']);
    assert.deepEqual(complete('kubelet --root-dir=/x completion z', "''"), ['zsh']);
    assert.ok(complete('kubelet --root', "''").includes('--root-dir'));
  });

  it('completes names of pods in bash, and never runs one', () => {
    const hostile = "'pod/web-n1' 'pod/web;id' 'pod/$(echo web-hacked)' 'web `id`'";
    assert.deepEqual(complete('kubelet logs we', hostile), ['web-n1']);
    assert.deepEqual(complete('kubelet logs nope', hostile), []);
  });
});
