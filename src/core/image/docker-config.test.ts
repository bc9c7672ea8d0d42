import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDockerCfg, parseDockerConfigJson } from './docker-config.ts';

const PASSWORD = 'correct:horse';
const entries = (text: string) => {
  const parsed = parseDockerConfigJson(text);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return [...parsed.value];
};
const json = (auths: unknown): string => JSON.stringify({ auths });

describe('parseDockerConfigJson', () => {
  it('takes user name and password as they are, or from auth, which wins', () => {
    const auth = btoa(`grün:${PASSWORD}`.replace('ü', 'u'));
    assert.deepEqual(entries(json({ a: { username: 'u', password: 'p', email: 'e' } })), [
      ['a', { username: 'u', password: 'p', email: 'e' }],
    ]);
    assert.deepEqual(entries(json({ a: { username: 'u', password: 'p', auth } })), [
      ['a', { username: 'grun', password: PASSWORD, email: '' }],
    ]);
    assert.deepEqual(entries(json({ a: { auth: auth.replace(/=+$/, '') } }))[0]?.[1].password, PASSWORD);
  });

  it('reads auth as UTF-8', () => {
    const auth = Buffer.from('grün:päss').toString('base64');
    assert.deepEqual(entries(json({ a: { auth } }))[0]?.[1], {
      username: 'grün',
      password: 'päss',
      email: '',
    });
  });

  it('is empty for an empty config, and ignores unknown fields', () => {
    assert.deepEqual(entries('{}'), []);
    assert.deepEqual(entries('{"auths":null,"HttpHeaders":{"a":"b"},"credsStore":"x"}'), []);
    assert.deepEqual(entries(json({ a: {}, b: null })), [
      ['a', { username: '', password: '', email: '' }],
      ['b', { username: '', password: '', email: '' }],
    ]);
  });

  const refused: [text: string, why: RegExp][] = [
    ['', /not a JSON object/],
    ['[]', /not a JSON object/],
    ['{"auths":[]}', /auths is not a map/],
    [json({ a: 'x' }), /entry of "a" is not a map/],
    [json({ a: { password: 7 } }), /entry of "a" has a field that is not text/],
    [json({ a: { auth: btoa('only-a-user') } }), /entry of "a" has an auth/],
    [json({ a: { auth: '***' } }), /entry of "a" has an auth/],
  ];
  for (const [text, why] of refused)
    it(`refuses ${text || 'an empty text'}`, () => {
      const parsed = parseDockerConfigJson(text);
      assert.ok(!parsed.ok);
      assert.match(parsed.message, why);
    });

  it('complaints show nothing of a secret', () => {
    const parsed = parseDockerConfigJson(`{"auths":{"a":{"password":"${PASSWORD}","auth":"${PASSWORD}"}}`);
    assert.ok(!parsed.ok && !parsed.message.includes(PASSWORD));
    const bad = parseDockerConfigJson(json({ a: { password: PASSWORD, auth: 'hunter2' } }));
    assert.ok(!bad.ok && !bad.message.includes(PASSWORD) && !bad.message.includes('hunter2'));
  });
});

describe('parseDockerCfg', () => {
  it('is the map alone', () => {
    const parsed = parseDockerCfg('{"a":{"auth":"dTpw"}}');
    assert.deepEqual(parsed, {
      ok: true,
      value: new Map([['a', { username: 'u', password: 'p', email: '' }]]),
    });
    assert.equal(parseDockerCfg('nothing').ok, false);
  });
});
