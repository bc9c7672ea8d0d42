import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { lookUpCredentials, toKeyring } from './keyring.ts';
import { matchesRegistry } from './registry-pattern.ts';

const NODE = { kind: 'node' } as const;
const entry = (username: string) => ({ username, password: 'p', email: '' });

/** The keys themselves are the user names, so that an answer says which entries were meant. */
function lookUp(keys: readonly string[], repository: string): string[] {
  const config = new Map(keys.map((key) => [key, entry(key)]));
  return lookUpCredentials(toKeyring([{ source: NODE, config }]), repository).map(({ username }) => username);
}

describe('matchesRegistry', () => {
  const rows: [pattern: string, image: string, matches: boolean][] = [
    ['registry.example', 'registry.example/app', true],
    ['registry.example', 'registry.example:5000/app', false],
    ['registry.example:5000', 'registry.example:5000/app', true],
    ['registry.example:5000', 'registry.example:5001/app', false],
    ['*.example', 'registry.example/app', true],
    ['*.example', 'a.registry.example/app', false],
    ['*.*.example', 'a.registry.example/app', true],
    ['prefix*.example', 'prefix-1.example/app', true],
    ['*', 'example/app', true],
    ['*', 'registry.example/app', false],
    ['registry.example/team', 'registry.example/team/app', true],
    ['registry.example/team', 'registry.example/teams/app', true],
    ['registry.example/team/', 'registry.example/teams/app', false],
    ['registry.example/team', 'registry.example/other', false],
    ['registry.example/*', 'registry.example/other', false],
    ['other.example', 'registry.example/app', false],
    ['registry.example:port', 'registry.example/app', false],
    ['a b', 'a b', false],
    ['[::1]:5000', '[::1]:5000/app', false],
    ['', 'registry.example/app', false],
  ];
  for (const [pattern, image, matches] of rows)
    it(`${JSON.stringify(pattern)} ${matches ? 'means' : 'does not mean'} ${image}`, () => {
      assert.equal(matchesRegistry(pattern, image), matches);
    });

  it('a repository matches itself and every part of its path', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const path = fc.array(label, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(host, path, fc.nat(), (registry, parts, n) => {
        const image = [registry, ...parts].join('/');
        const pattern = [registry, ...parts.slice(0, n % (parts.length + 1))].join('/');
        assert.ok(matchesRegistry(pattern, image));
        assert.ok(!matchesRegistry(`${pattern}/other-path`, image));
        assert.ok(!matchesRegistry(`x.${pattern}`, image));
      }),
    );
  });
});

describe('lookUpCredentials', () => {
  const rows: [what: string, keys: readonly string[], repository: string, found: readonly string[]][] = [
    ['nothing for a stranger', ['a.example'], 'b.example/app', []],
    [
      'the longer key first',
      ['a.example', 'a.example/team/app', 'a.example/team'],
      'a.example/team/app',
      ['a.example/team/app', 'a.example/team', 'a.example'],
    ],
    [
      'a wildcard after the name itself',
      ['*.example', 'a.example'],
      'a.example/app',
      ['a.example', '*.example'],
    ],
    [
      'without the scheme',
      ['https://a.example', 'http://a.example/x'],
      'a.example/app',
      ['https://a.example'],
    ],
    ['/v1/ and /v2/ are the registry', ['https://a.example/v2/'], 'a.example/app', ['https://a.example/v2/']],
    ['/v1/ before a path is left out', ['a.example/v1/team'], 'a.example/team/app', ['a.example/v1/team']],
    [
      'the default registry by its old name',
      ['https://index.docker.io/v1/'],
      'docker.io/library/app',
      ['https://index.docker.io/v1/'],
    ],
    ['the default registry by its new name', ['docker.io'], 'docker.io/library/app', ['docker.io']],
    ['the new name wins', ['index.docker.io', 'docker.io'], 'docker.io/library/app', ['docker.io']],
    ['not the default registry for others', ['index.docker.io'], 'a.example/app', []],
    ['no key, no answer', ['a.example:port'], 'a.example/app', []],
  ];
  for (const [what, keys, repository, found] of rows)
    it(what, () => {
      assert.deepEqual(lookUp(keys, repository), found);
    });

  it('entries of one registry come in the order of their sources, each with its own', () => {
    const secret = { kind: 'secret', uid: '1', namespace: 'n', name: 's' } as const;
    const found = lookUpCredentials(
      toKeyring([
        { source: secret, config: new Map([['a.example', entry('first')]]) },
        { source: NODE, config: new Map([['https://a.example', entry('second')]]) },
      ]),
      'a.example/app',
    );
    assert.deepEqual(found, [
      { ...entry('first'), source: secret },
      { ...entry('second'), source: NODE },
    ]);
  });
});
