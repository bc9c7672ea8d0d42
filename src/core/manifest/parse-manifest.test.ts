import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { renderProblem } from './manifest-problem.ts';
import { parseManifest } from './parse-manifest.ts';

const WEB = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx:1.27
`;

function problemsOf(text: string): readonly string[] {
  const { pods, problems } = parseManifest(text, 'web.yaml');
  const decoding = pods.flatMap(({ errors, lineOf }) =>
    errors.map(({ path, message }) => ({ file: 'web.yaml', line: lineOf(path), path, message })),
  );
  return [...problems, ...decoding].map(renderProblem);
}

test('parseManifest decodes a YAML pod and leaves absent identity empty', () => {
  const { pods, problems } = parseManifest(WEB, 'web.yaml');
  assert.deepEqual(problems, []);
  assert.deepEqual(pods[0]?.errors, []);
  assert.deepEqual(pods[0]?.pod.metadata, { name: 'web', namespace: '', uid: '' });
  assert.deepEqual(pods[0]?.pod.spec.containers, [{ name: 'web', image: 'nginx:1.27' }]);
});

test('parseManifest decodes JSON indented with tabs', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'j' },
    spec: { containers: [{ name: 'a' }] },
  };
  const { pods, problems } = parseManifest(JSON.stringify(pod, null, '\t'), 'j.json');
  assert.deepEqual(problems, []);
  assert.equal(pods[0]?.pod.metadata.name, 'j');
});

test('parseManifest reads several documents, ignores empty ones and keeps good ones beside a bad one', () => {
  const text = `---\n${WEB}---\n# nothing here\n---\nkind: [\n---\n${WEB.replaceAll('web', 'db')}`;
  const { pods, problems } = parseManifest(text, 'web.yaml');
  assert.deepEqual(
    pods.map(({ pod }) => pod.metadata.name),
    ['web', 'db'],
  );
  assert.equal(problems.length, 1);
  assert.match(renderProblem(problems[0]!), /^web\.yaml:1[34]: cannot read YAML: /);
});

const BAD: readonly (readonly [criterion: string, text: string, problem: string])[] = [
  [
    'an unknown field with its likely spelling',
    `${WEB}    imagePullpolicy: Always\n`,
    'web.yaml:9: spec.containers[0].imagePullpolicy: unknown field (did you mean imagePullPolicy?)',
  ],
  [
    'an unknown field without a near neighbour',
    `${WEB}    frobnicate: 1\n`,
    'web.yaml:9: spec.containers[0].frobnicate: unknown field',
  ],
  [
    'a number where text is due, and what to do',
    WEB.replace('nginx:1.27', '5'),
    'web.yaml:8: spec.containers[0].image: expected a string, got number 5 (put the value in quotes)',
  ],
  [
    'a YAML 1.1 boolean where text is due',
    `${WEB}    env:\n    - name: DEBUG\n      value: yes\n`,
    'web.yaml:11: spec.containers[0].env[0].value: expected a string, got boolean true (put the value in quotes)',
  ],
  [
    'text where a number is due',
    `${WEB}  terminationGracePeriodSeconds: "30"\n`,
    'web.yaml:9: spec.terminationGracePeriodSeconds: expected a whole number, got string "30"',
  ],
  [
    'a map where a list is due',
    `${WEB}  volumes:\n    name: data\n`,
    'web.yaml:9: spec.volumes: expected a list, got a map',
  ],
  [
    'a value that is no quantity',
    `${WEB}    resources:\n      limits:\n        memory: 64 MB\n`,
    'web.yaml:11: spec.containers[0].resources.limits[memory]: Invalid value: "64 MB": must be a quantity such as 100m, 1.5 or 64Mi',
  ],
  [
    'a number out of range',
    `${WEB}  priority: 3000000000\n`,
    'web.yaml:9: spec.priority: Invalid value: 3000000000: is out of range',
  ],
  ['a duplicate key', `${WEB}    image: b\n`, 'web.yaml:9: cannot read YAML: Map keys must be unique'],
  [
    'another kind',
    WEB.replace('kind: Pod', 'kind: Service'),
    'web.yaml:2: kind: unsupported kind "Service": only "Pod" can run here',
  ],
  [
    'a list',
    'apiVersion: v1\nkind: PodList\nitems: []\n',
    'web.yaml:2: kind: kind "PodList" is not accepted: write each Pod as a document of its own, parted by "---"',
  ],
  ['a missing kind', 'apiVersion: v1\n', 'web.yaml:1: kind: Required value: must be "Pod"'],
  [
    'another version',
    WEB.replace('apiVersion: v1', 'apiVersion: v2'),
    'web.yaml:1: apiVersion: unsupported apiVersion "v2": a Pod is "v1"',
  ],
  [
    'text that is no object',
    'hello\n',
    'web.yaml:1: expected a v1 Pod, got something that is not a map of fields',
  ],
  ['an empty file', ' \n\n', 'web.yaml: the file is empty: write a Pod into it or remove it'],
  ['an unknown tag', 'a: !secret x\n', 'web.yaml:1: cannot read YAML: Unresolved tag: !secret'],
];

for (const [criterion, text, problem] of BAD) {
  test(`parseManifest names file, line and field of ${criterion}`, () => {
    assert.deepEqual(problemsOf(text), [problem]);
  });
}

test('parseManifest gathers every mistake of a document', () => {
  assert.equal(problemsOf(`${WEB}    foo: 1\n    tty: "x"\n`).length, 2);
});

test('parseManifest takes a file of comments as no pods and no problem', () => {
  assert.deepEqual(parseManifest('# all commented out\n', 'web.yaml'), {
    pods: [],
    objects: [],
    problems: [],
  });
});

test('parseManifest reads plain scalars as YAML 1.1 does upstream', () => {
  const text = `${WEB}    tty: on\n    env:\n    - {name: T, value: 12:30}\n    - {name: D, value: 2026-01-02}\n  volumes:\n  - name: c\n    configMap: {name: c, defaultMode: 0644}\n  - name: d\n    configMap: {name: d, defaultMode: 0o400}\n`;
  const { pods } = parseManifest(text, 'web.yaml');
  assert.deepEqual(pods[0]?.errors, []);
  const container = pods[0]?.pod.spec.containers[0];
  assert.equal(container?.tty, true);
  assert.deepEqual(
    container?.env?.map(({ value }) => value),
    ['12:30', '2026-01-02'],
  );
  assert.equal(pods[0]?.pod.spec.volumes?.[0]?.configMap?.defaultMode, 0o644);
  assert.equal(pods[0]?.pod.spec.volumes?.[1]?.configMap?.defaultMode, 0o400);
});

test('parseManifest resolves anchors and merge keys', () => {
  const text = `${WEB}  - &base\n    name: two\n    image: b\n  - <<: *base\n    name: three\n`;
  const { pods } = parseManifest(text, 'web.yaml');
  assert.deepEqual(pods[0]?.errors, []);
  assert.deepEqual(pods[0]?.pod.spec.containers[2], { name: 'three', image: 'b' });
});

test('parseManifest refuses an alias bomb', () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const items =
      i === 0
        ? 'x'
        : Array(10)
            .fill(`*a${i - 1}`)
            .join(', ');
    return `a${i}: &a${i} [${items}]`;
  });
  assert.match(problemsOf(levels.join('\n'))[0] ?? '', /cannot read YAML: Excessive alias count/);
});

test('parseManifest keeps a quantity written as a number as text', () => {
  const { pods } = parseManifest(`${WEB}    resources: {limits: {cpu: 0.5}}\n`, 'web.yaml');
  assert.deepEqual(pods[0]?.pod.spec.containers[0]?.resources, { limits: { cpu: '0.5' } });
});

const SPELLINGS: readonly (readonly [text: string, inYaml: string, inJson: string])[] = [
  ['1.50', '1.5', '1.50'],
  ['1e3', '1000', '1e3'],
  ['9007199254740993', '9007199254740993', '9007199254740993'],
  ['18446744073709551616', '18446744073709552000', '18446744073709551616'],
];

for (const [text, inYaml, inJson] of SPELLINGS) {
  test(`parseManifest reads the quantity ${text} as ${inYaml} in YAML and ${inJson} in JSON, as upstream does`, () => {
    const read = (manifest: string) => parseManifest(manifest, 'f').pods[0]?.pod.spec.overhead;
    assert.deepEqual(read(`apiVersion: v1\nkind: Pod\nspec:\n  overhead: {cpu: ${text}}\n`), { cpu: inYaml });
    assert.deepEqual(read(`{"apiVersion": "v1", "kind": "Pod", "spec": {"overhead": {"cpu": ${text}}}}`), {
      cpu: inJson,
    });
  });
}

test('parseManifest keeps a label named __proto__ as data', () => {
  const { pods } = parseManifest(
    WEB.replace('name: web\nspec', 'name: web\n  labels: {__proto__: x}\nspec'),
    'f',
  );
  assert.deepEqual(Object.keys(pods[0]?.pod.metadata.labels ?? {}), ['__proto__']);
});

test('parseManifest survives any text', () => {
  const piece = fc.constantFrom(
    'a',
    ': ',
    '\n',
    '- ',
    '  ',
    '[',
    '{',
    '"',
    '&x ',
    '*x',
    '---\n',
    '\t',
    'kind: Pod\n',
    '!!',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((parts) => parts.join('')),
      ),
      (text) => {
        const { pods, problems } = parseManifest(text, 'f');
        for (const problem of problems) assert.equal(problem.file, 'f');
        for (const { lineOf } of pods) assert.ok(lineOf('spec.containers[0].name') >= 1);
      },
    ),
  );
});

test('parseManifest reads back what a pod is rendered to, in YAML and JSON alike', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const pod = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Pod'),
    metadata: fc.record({ name: word, labels: fc.dictionary(word, fc.string()) }),
    spec: fc.record({
      containers: fc.array(
        fc.record({
          name: word,
          image: fc.string(),
          args: fc.array(fc.string()),
          env: fc.array(
            fc.record({
              name: word,
              value: fc.oneof(fc.string(), fc.constantFrom('yes', '0644', '12:30', '~')),
            }),
          ),
        }),
        { minLength: 1 },
      ),
      hostNetwork: fc.boolean(),
      terminationGracePeriodSeconds: fc.nat(),
    }),
  });
  fc.assert(
    fc.property(pod, (generated) => {
      // Generated records may lack a prototype, which is no property of a manifest.
      const value = JSON.parse(JSON.stringify(generated)) as typeof generated;
      for (const text of [JSON.stringify(value), stringify(value, { version: '1.1' })]) {
        const { pods, problems } = parseManifest(text, 'f');
        assert.deepEqual(problems, []);
        assert.deepEqual(pods[0]?.errors, []);
        assert.deepEqual(pods[0]?.pod.spec, value.spec);
        assert.deepEqual(pods[0]?.pod.metadata.labels, value.metadata.labels);
      }
    }),
    { numRuns: 60 },
  );
});
