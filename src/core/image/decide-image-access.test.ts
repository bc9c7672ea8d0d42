import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideByCredentials,
  decideImageAccess,
  type ImageAccessFacts,
  type VerificationPolicy,
} from './decide-image-access.ts';
import type { ImagePullCredentials, PulledRecord } from './pull-record.ts';

const secret = (name: string, credentialHash = `h-${name}`) => ({
  uid: `u-${name}`,
  namespace: 'n',
  name,
  credentialHash,
});
const account = (name: string) => ({ uid: `u-${name}`, namespace: 'n', name });
const recordOf = (credentialMapping: PulledRecord['credentialMapping']): PulledRecord => ({
  lastUpdatedTime: '',
  imageRef: 'sha256:1',
  credentialMapping,
});
const BY_SECRET = { kubernetesSecrets: [secret('a')] };

describe('decideImageAccess', () => {
  const states: Record<string, Pick<ImageAccessFacts, 'record' | 'hasIntent'>> = {
    preloaded: { record: 'none', hasIntent: false },
    'being pulled': { record: 'none', hasIntent: true },
    unreadable: { record: 'unreadable', hasIntent: false },
    'of unknown origin': { record: recordOf({}), hasIntent: false },
    'with an empty mapping': { record: recordOf({ 'a.example/app': {} }), hasIntent: false },
    'pulled under another name': { record: recordOf({ 'b.example/app': BY_SECRET }), hasIntent: false },
    "every pod's": { record: recordOf({ 'a.example/app': { nodePodsAccessible: true } }), hasIntent: false },
    'pulled with a secret': { record: recordOf({ 'a.example/app': BY_SECRET }), hasIntent: false },
  };
  type Answers = readonly [
    never: string,
    preloaded: string,
    listed: string,
    notListed: string,
    always: string,
  ];
  const rows: Record<keyof typeof states, Answers> = {
    preloaded: ['allowed', 'allowed', 'allowed', 'must-pull', 'must-pull'],
    'being pulled': ['allowed', 'must-pull', 'allowed', 'must-pull', 'must-pull'],
    unreadable: ['must-pull', 'must-pull', 'must-pull', 'must-pull', 'must-pull'],
    'of unknown origin': ['allowed', 'must-pull', 'allowed', 'must-pull', 'must-pull'],
    'with an empty mapping': ['allowed', 'must-pull', 'allowed', 'must-pull', 'must-pull'],
    'pulled under another name': ['allowed', 'must-pull', 'allowed', 'must-pull', 'must-pull'],
    "every pod's": ['allowed', 'allowed', 'allowed', 'allowed', 'allowed'],
    'pulled with a secret': ['allowed', 'ask-credentials', 'allowed', 'ask-credentials', 'ask-credentials'],
  };
  const columns: readonly [VerificationPolicy, allowlist: readonly string[]][] = [
    ['NeverVerify', []],
    ['NeverVerifyPreloadedImages', []],
    ['NeverVerifyAllowlistedImages', ['a.example/app']],
    ['NeverVerifyAllowlistedImages', ['a.example/ap', 'b.example/*']],
    ['AlwaysVerify', []],
  ];
  for (const [state, answers] of Object.entries(rows))
    for (const [index, [policy, allowlist]] of columns.entries())
      it(`${policy} (${allowlist.join(' ')}): an image ${state} is ${answers[index]}`, () => {
        const facts = {
          image: 'a.example/app:1',
          record: 'none' as const,
          hasIntent: false,
          ...states[state],
        };
        assert.equal(decideImageAccess({ policy, allowlist }, facts).kind, answers[index]);
      });

  it('a list entry with a star means everything below, and only below', () => {
    const ask = (image: string, entry: string): string =>
      decideImageAccess(
        { policy: 'NeverVerifyAllowlistedImages', allowlist: [entry] },
        { image, record: 'none', hasIntent: false },
      ).kind;
    assert.equal(ask('a.example/team/app:1', 'a.example/team/*'), 'allowed');
    assert.equal(ask('a.example/team/app:1', 'a.example/*'), 'allowed');
    assert.equal(ask('a.example/teams/app:1', 'a.example/team/*'), 'must-pull');
    assert.equal(ask('a.example:5000/app', 'a.example/*'), 'must-pull');
  });
});

describe('decideByCredentials', () => {
  const many = Array.from({ length: 100 }, (_, n) => secret(`s${n}`));
  const rows: [what: string, ImagePullCredentials, Parameters<typeof decideByCredentials>[1], unknown][] = [
    ['nothing to show', BY_SECRET, { secrets: [], serviceAccounts: [] }, { allowed: false }],
    ['the same secret', BY_SECRET, { secrets: [secret('a')], serviceAccounts: [] }, { allowed: true }],
    ['another secret', BY_SECRET, { secrets: [secret('b')], serviceAccounts: [] }, { allowed: false }],
    [
      'another secret with the same content is remembered',
      BY_SECRET,
      { secrets: [secret('b', 'h-a')], serviceAccounts: [] },
      { allowed: true, remember: secret('b', 'h-a') },
    ],
    [
      'the same secret with new content is remembered',
      BY_SECRET,
      { secrets: [secret('a', 'new')], serviceAccounts: [] },
      { allowed: true, remember: secret('a', 'new') },
    ],
    [
      'a re-created secret of the same name is another secret',
      BY_SECRET,
      { secrets: [{ ...secret('a', 'new'), uid: 'other' }], serviceAccounts: [] },
      { allowed: false },
    ],
    [
      'no hash matches no hash',
      { kubernetesSecrets: [secret('a', '')] },
      { secrets: [secret('b', '')], serviceAccounts: [] },
      { allowed: false },
    ],
    [
      'a full record is not made longer',
      { kubernetesSecrets: many },
      { secrets: [secret('b', 'h-s1')], serviceAccounts: [] },
      { allowed: true },
    ],
    [
      'a full record takes no new content',
      { kubernetesSecrets: many },
      { secrets: [secret('s1', 'new')], serviceAccounts: [] },
      { allowed: false },
    ],
    [
      'the same account',
      { kubernetesServiceAccounts: [account('a')] },
      { secrets: [], serviceAccounts: [account('a')] },
      { allowed: true },
    ],
    [
      'another account',
      { kubernetesServiceAccounts: [account('a')] },
      { secrets: [], serviceAccounts: [account('b')] },
      { allowed: false },
    ],
    [
      'an account is no secret',
      BY_SECRET,
      { secrets: [], serviceAccounts: [account('a')] },
      { allowed: false },
    ],
  ];
  for (const [what, recorded, shown, verdict] of rows)
    it(what, () => {
      assert.deepEqual(decideByCredentials(recorded, shown), verdict);
    });
});
