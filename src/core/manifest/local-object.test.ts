import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderProblem } from './manifest-problem.ts';
import { readStaticPods, type StaticPodRules } from './static-pod.ts';

const SECRET = `apiVersion: v1
kind: Secret
metadata:
  name: login
data:
  user: YWRhCg==
stringData:
  password: pässword
`;

function read(text: string, rules: StaticPodRules = { isStandalone: true }) {
  const { pods, objects = [], problems } = readStaticPods(text, '/m/x.yaml', 'n', rules);
  return { pods, objects, problems: problems.map(renderProblem) };
}

const configMap = (rest: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n${rest}`;
const volume = (spec: string): string =>
  `apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: disk\nspec:\n  accessModes: [ReadWriteOnce]\n${spec}`;
const pod = (spec: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers: [{ name: c, image: i }]\n${spec}`;

describe('readStaticPods without an API server', () => {
  it('takes a Secret with its texts as data, in the default namespace', () => {
    const { objects, problems } = read(SECRET);
    assert.deepEqual(problems, []);
    assert.deepEqual(objects, [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'default' },
        data: { user: 'YWRhCg==', password: Buffer.from('pässword').toString('base64') },
      },
    ]);
  });

  it('map key __proto__: is a key of a ConfigMap like any other, in YAML and in JSON', () => {
    const json =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"app"},"data":{"__proto__":"x","b":"c"}}';
    for (const text of [configMap('data: { __proto__: x, b: c }\n'), json]) {
      const { objects, problems } = read(text);
      assert.deepEqual(problems, []);
      const [object] = objects;
      assert.ok(object?.kind === 'ConfigMap');
      assert.equal(JSON.stringify(object.data), '{"__proto__":"x","b":"c"}');
    }
  });

  it('takes pods and objects from one file', () => {
    const { objects, pods, problems } = read(`${configMap('data: { a: b }\n')}---\n${pod('')}`);
    assert.deepEqual([objects.length, pods.length, problems], [1, 1, []]);
  });

  it('lets pods use what files can hold, and nothing else of the API', () => {
    const uses = `  imagePullSecrets: [{ name: p }]
  volumes:
  - { name: a, configMap: { name: c } }
  - { name: b, secret: { secretName: s } }
  - { name: c, persistentVolumeClaim: { claimName: d } }
  - { name: d, projected: { sources: [{ configMap: { name: c } }, { secret: { name: s } }] } }
`;
    assert.deepEqual(read(pod(uses)).problems, []);
    const token = '{ serviceAccountToken: { path: t } }';
    assert.deepEqual(read(pod(`  volumes: [{ name: a, projected: { sources: [${token}] } }]\n`)).problems, [
      '/m/x.yaml:7: spec.volumes[0].projected.sources[0].serviceAccountToken: static pods may not reference serviceaccounts (via projected volumes)',
    ]);
    assert.match(read(pod('  serviceAccountName: x\n')).problems[0]!, /may not reference serviceaccounts$/);
  });

  const wrong: [name: string, text: string, problem: string][] = [
    [
      'a key that is no file name',
      configMap('data: { a/b: c }\n'),
      '/m/x.yaml:5: data[a/b]: Invalid value: "a/b": a valid config key must consist of',
    ],
    [
      'a key that leads upwards',
      configMap('data: { ..: c }\n'),
      `/m/x.yaml:5: data[..]: Invalid value: "..": must not be '.' or start with '..'`,
    ],
    [
      'a value that is no text',
      configMap('data: { a: 7 }\n'),
      '/m/x.yaml:5: data[a]: expected a string, got number 7 (put the value in quotes)',
    ],
    [
      'a key in both maps',
      configMap('data: { a: b }\nbinaryData: { a: YQ== }\n'),
      '/m/x.yaml:6: binaryData[a]: Invalid value: "a": duplicate of key present in data',
    ],
    [
      'a Secret that is not in base64, without quoting it',
      SECRET.replace('YWRhCg==', 'hunter2'),
      '/m/x.yaml:6: data[user]: Invalid value: must be base64',
    ],
    ['an unknown field', configMap('datas: {}\n'), '/m/x.yaml:5: datas: unknown field (did you mean data?)'],
    [
      'a missing name',
      configMap('').replace('name: app', 'labels: {}'),
      '/m/x.yaml:3: metadata.name: Required value',
    ],
    [
      'a volume without a source',
      volume(''),
      '/m/x.yaml:5: spec: Required value: must specify one of fc, flexVolume, hostPath, iscsi, local, nfs',
    ],
    [
      'a relative path',
      volume('  local: { path: x }\n'),
      '/m/x.yaml:7: spec.local.path: Invalid value: "x": must be an absolute path',
    ],
    [
      'a volume of two kinds',
      volume('  local: { path: /x }\n  hostPath: { path: /x }\n'),
      '/m/x.yaml:7: spec.local: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'a kind of another controller',
      'apiVersion: v1\nkind: Service\nmetadata: { name: x }\n',
      '/m/x.yaml:2: kind: unsupported kind "Service": only "Pod" can run here',
    ],
  ];
  for (const [name, text, problem] of wrong) {
    it(`names file, line and field of ${name}`, () => {
      const { objects, problems } = read(text);
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(problem), problems[0]);
      assert.deepEqual(objects, []);
    });
  }

  it('refuses a Secret in a file that others can read, but not its neighbours', () => {
    const secretProblem = 'run "chmod 600"';
    const { objects, problems } = read(`${configMap('')}---\n${SECRET}`, {
      isStandalone: true,
      secretProblem,
    });
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['ConfigMap'],
    );
    assert.deepEqual(problems, ['/m/x.yaml:6: run "chmod 600"']);
  });

  it('keeps the first of two objects with one name', () => {
    const { objects, problems } = read(`${configMap('data: { a: first }\n')}---\n${configMap('')}`);
    assert.equal(objects.length, 1);
    assert.deepEqual(problems, ['/m/x.yaml:10: metadata.name: Duplicate value: "ConfigMap default/app"']);
  });
});

describe('readStaticPods with an API server', () => {
  it('takes no objects and keeps the refusals of upstream', () => {
    const { objects, problems } = read(
      `${SECRET}---\n${pod('  volumes: [{ name: b, secret: { secretName: s } }]\n')}`,
      {},
    );
    assert.deepEqual(objects, []);
    assert.deepEqual(problems, [
      '/m/x.yaml:2: kind: kind "Secret" is not accepted in a manifest: this node has an API server for it',
      '/m/x.yaml:16: spec.volumes[0]: static pods may not reference secrets',
    ]);
  });
});
