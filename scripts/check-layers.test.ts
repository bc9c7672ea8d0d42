import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankSource } from './blank-source.ts';
import { checkSources } from './check-layers.ts';

/** `line rule` of every finding in one made-up file. */
function findings(path: string, text: string): string[] {
  return checkSources([{ path, text }]).map(({ line, rule }) => `${line} ${rule}`);
}

describe('checkSources on mechanisms', () => {
  it('finds a listener by hand outside of base and tests', () => {
    const text = "signal.addEventListener('abort', end);\nsignal.removeEventListener('abort', end);\n";
    assert.deepEqual(findings('src/agent/a.ts', text), ['1 by-hand', '2 by-hand']);
    assert.deepEqual(findings('src/base/a.ts', text), []);
    assert.deepEqual(findings('src/agent/a.test.ts', text), []);
  });

  it('finds a set of listeners outside of base', () => {
    const text = 'const listeners = new Set<() => void>();\n';
    assert.deepEqual(findings('src/ports/a.ts', text), ['1 by-hand']);
    assert.deepEqual(findings('src/base/a.ts', text), []);
  });
});

describe('checkSources on imports', () => {
  const cases: readonly (readonly [path: string, specifier: string, rule: string | undefined])[] = [
    ['src/base/a.ts', '../core/b.ts', 'upward'],
    ['src/core/pod/a.ts', '../../ports/b.ts', 'upward'],
    ['src/ports/a.ts', '../agent/b.ts', 'upward'],
    ['src/ports/a.ts', '../adapters/cri/b.ts', 'upward'],
    ['src/agent/a.ts', '../main/b.ts', 'upward'],
    ['src/server/a.ts', '../main/b.ts', 'upward'],
    ['src/agent/a.ts', '../adapters/cri/b.ts', 'sideways'],
    ['src/adapters/cri/a.ts', '../../agent/b.ts', 'sideways'],
    ['src/server/a.ts', '../agent/b.ts', 'sideways'],
    ['src/server/a.ts', '../adapters/linux/b.ts', 'sideways'],
    ['src/agent/a.ts', '../server/b.ts', 'sideways'],
    ['src/agent/a.ts', '../gen/cri.ts', 'generated'],
    ['src/main/a.ts', '../gen/cri.ts', 'generated'],
    ['src/agent/a.test.ts', '../gen/cri.ts', 'generated'],
    ['src/gen/cri.ts', '../base/errors.ts', 'upward'],
    ['src/agent/a.ts', '../../test/fakes/b.ts', 'outside'],
    ['src/agent/a.ts', '../other/b.ts', 'upward'],
    ['src/core/a.ts', 'node:path', 'pure-core'],
    ['src/core/model/a.ts', '../pod/b.ts', 'room'],
    ['src/core/model/a.ts', '../odds/b.ts', 'room'],
    ['src/agent/probe/a.ts', '../pod/b.ts', 'room'],
    ['src/agent/pod/a.ts', '../assemble.ts', 'room'],
    ['src/adapters/linux/program/a.ts', '../files/b.ts', 'room'],
    ['src/adapters/volume/disk/a.ts', '../b.ts', 'room'],
    ['src/core/pod/a.ts', '../model/b.ts', undefined],
    ['src/core/pod/explain/a.ts', '../b.ts', undefined],
    ['src/agent/a.ts', './pod/b.ts', undefined],
    ['src/core/model/a.test.ts', '../pod/b.ts', undefined],
    ['test/fakes/a.ts', '../../src/gen/cri.ts', undefined],
    ['src/main/a.ts', '../adapters/cri/b.ts', undefined],
    ['src/main/a.ts', '../agent/b.ts', undefined],
    ['src/main/a.ts', '../server/b.ts', undefined],
    ['src/server/a.ts', '../ports/b.ts', undefined],
    ['src/adapters/cri/a.ts', '../../gen/cri.ts', undefined],
    ['src/adapters/cri/a.test.ts', '../../gen/cri.ts', undefined],
    ['src/adapters/cri/a.ts', '../linux/b.ts', undefined],
    ['src/gen/cri.ts', './wire.ts', undefined],
    ['src/core/a.ts', '../base/b.ts', undefined],
    ['src/agent/a.ts', 'node:path', undefined],
    ['src/agent/a.test.ts', '../../test/fakes/b.ts', undefined],
    ['src/core/a.test.ts', '../agent/b.ts', undefined],
    ['src/core/a.test.ts', 'node:path', undefined],
  ];
  for (const [path, specifier, rule] of cases)
    it(`${path} importing ${specifier} is ${rule ?? 'allowed'}`, () => {
      const text = `/** About. */\nimport { x } from '${specifier}';\n`;
      assert.deepEqual(findings(path, text), rule === undefined ? [] : [`2 ${rule}`]);
    });

  it('sees every way of importing', () => {
    const ways = [
      "import type { T } from '../core/b.ts';",
      "import '../core/b.ts';",
      "export * from '../core/b.ts';",
      "const x = await import('../core/b.ts');",
      "type T = import('../core/b.ts').T;",
      "import {\n  a,\n} from '../core/b.ts';",
      'import { a } from "../core/b.ts";',
    ];
    for (const way of ways) assert.equal(findings('src/base/a.ts', way).length, 1, way);
  });

  it('does not see imports in comments', () => {
    const text = "// import '../core/b.ts'\n/* import '../core/b.ts' */\n";
    assert.deepEqual(findings('src/base/a.ts', text), []);
  });

  it('reports a folder that is no layer', () => {
    assert.deepEqual(findings('src/utils/a.ts', 'export {};'), ['1 unknown-layer']);
  });
});

describe('checkSources on core', () => {
  const impure = [
    'async function f() {}',
    'const x = await y;',
    'function f(): Promise<void> {}',
    'const t = Date.now();',
    'const t = new Date();',
    'const t = new Date;',
    'const n = Math.random();',
    'setTimeout(f, 1);',
    'setImmediate(f);',
    'const p = process.env;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a source, not a template
    'const s = `at ${Date.now()}`;',
  ];
  for (const line of impure)
    it(`refuses: ${line}`, () => {
      assert.deepEqual(findings('src/core/a.ts', `\n${line}\n`), ['2 pure-core']);
      assert.deepEqual(findings('src/agent/a.ts', line), []);
      assert.deepEqual(findings('src/core/a.test.ts', line), []);
    });

  const pure = [
    'const t = new Date(nowMs);',
    'const t = Date.parse(text);',
    '// async await Promise Date.now()',
    "const s = 'await a Promise; Date.now()';",
    'const s = `an async process.`;',
    'const r = /async "|\'/; // await',
    'const processed = process(x);',
  ];
  for (const line of pure) it(`allows: ${line}`, () => assert.deepEqual(findings('src/core/a.ts', line), []));
});

describe('checkSources on file calls behind volumes', () => {
  const refused: readonly (readonly [path: string, line: string])[] = [
    ['src/adapters/volume/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/adapters/volume/place/a.ts', "import { constants, readFileSync } from 'node:fs';"],
    ['src/adapters/csi/a.ts', "import {\n  type FileHandle,\n  open,\n} from 'node:fs/promises';"],
    ['src/adapters/linux/files/a.ts', "import * as fs from 'fs';"],
    ['src/adapters/linux/mount/a.ts', "import fs from 'node:fs';"],
    ['src/adapters/linux/files/directory-watcher.ts', "import { readdir } from 'node:fs/promises';"],
    ['src/agent/volume/a.ts', "const fs = await import('node:fs');"],
    ['src/adapters/volume/a.ts', "export { open } from 'node:fs/promises';"],
    [
      'src/adapters/volume/a.ts',
      "import type { Dir } from 'node:fs';\nimport { open } from 'node:fs/promises';",
    ],
  ];
  for (const [path, line] of refused)
    it(`refuses in ${path}: ${line.replaceAll(/\s+/g, ' ')}`, () => {
      assert.deepEqual(
        findings(path, line).map((text) => text.split(' ')[1]),
        ['volume-files'],
      );
    });

  const allowed: readonly (readonly [path: string, line: string])[] = [
    ['src/adapters/volume/a.ts', "import { constants, type Dir } from 'node:fs';"],
    ['src/adapters/volume/a.ts', "import type { FileHandle } from 'node:fs/promises';"],
    ['src/adapters/volume/a.test.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/adapters/linux/files/watch-directory.ts', "import { type FSWatcher, watch } from 'node:fs';"],
    ['src/adapters/linux/cgroup/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/adapters/volume/a.ts', "import { open } from '../linux/storage/storage-fs.ts';"],
  ];
  for (const [path, line] of allowed)
    it(`allows in ${path}: ${line}`, () => assert.deepEqual(findings(path, line), []));
});

describe('blankSource', () => {
  it('keeps length and lines and blanks only what is not code', () => {
    const source = [
      "const a = 'it\\'s'; // note",
      '/* two',
      'lines */ const b = x / 2 / y;',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a source, not a template
      'const c = `a ${f({ k: `b ${d} e` })} g`;',
      'const r = /[/"]\\/`/g.test(s);',
    ].join('\n');
    const { withText, codeOnly } = blankSource(source);
    assert.equal(codeOnly.length, source.length);
    assert.deepEqual(
      codeOnly.split('\n').map((line) => line.replace(/\s+/g, ' ').trim()),
      [
        'const a = ;',
        '',
        'const b = x / 2 / y;',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a source, not a template
        'const c = ` ${f({ k: ` ${d} ` })} `;',
        'const r = .test(s);',
      ],
    );
    assert.ok(withText.includes("'it\\'s'") && !withText.includes('note'));
  });
});
