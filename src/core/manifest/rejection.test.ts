import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toRejections } from './rejection.ts';
import { readStaticPods } from './static-pod.ts';

const pod = (name: string, image: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [{ name: a, ${image} }] }\n---\n`;

describe('toRejections', () => {
  it('has one entry for each document, with its name, its place and all that is wrong with it', () => {
    const text = `${pod('good', 'image: x')}${pod('bad', 'imag: x, port: 1')}kind: Job\nmetadata: { name: j }\n`;
    const { pods, problems } = readStaticPods(text, '/m/a.yaml', 'n1');
    assert.equal(pods.length, 1);
    const [bad, job, ...rest] = toRejections(problems);
    const [one, other] = [bad, job].toSorted((a, b) => (a?.line ?? 0) - (b?.line ?? 0));
    assert.deepEqual(one?.subject, { kind: 'Pod', namespace: 'default', name: 'bad-n1' });
    assert.equal(one?.line, 9);
    assert.match(
      one?.why ?? '',
      /containers\[0\]\.imag: unknown field.*; spec\.containers\[0\]\.port: unknown/,
    );
    assert.deepEqual(other?.subject, { kind: 'Job', namespace: 'default', name: 'j' });
    assert.deepEqual(rest, []);
  });

  it('names a Secret in a file that others may read', () => {
    const text = 'apiVersion: v1\nkind: Secret\nmetadata: { name: db }\nstringData: { a: b }\n';
    const { problems } = readStaticPods(text, '/m/s.yaml', 'n1', {
      isStandalone: true,
      secretProblem: 'chmod 600',
    });
    assert.deepEqual(toRejections(problems), [
      {
        subject: { kind: 'Secret', namespace: 'default', name: 'db' },
        file: '/m/s.yaml',
        line: 1,
        why: 'chmod 600',
      },
    ]);
  });

  it('has an entry for what is no document', () => {
    const { problems } = readStaticPods('a: [', '/m/x.yaml', 'n1');
    const [only] = toRejections(problems);
    assert.equal(only?.subject, undefined);
    assert.match(only?.why ?? '', /cannot read YAML/);
  });
});
