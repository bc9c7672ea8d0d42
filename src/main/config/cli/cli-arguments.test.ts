import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CliArguments, parseCliArguments } from './cli-arguments.ts';
import { isVerb, VERBS } from './cli-verbs.ts';
import { renderCliHelp } from './render-cli-help.ts';

function parse(text: string): CliArguments {
  const [verb, ...argv] = text.split(' ');
  assert.ok(isVerb(verb));
  const parsed = parseCliArguments(verb, argv);
  assert.ok(parsed.kind === 'command', JSON.stringify(parsed));
  return parsed;
}

function refuse(text: string): string {
  const [verb, ...argv] = text.split(' ').filter((word) => word !== '');
  assert.ok(isVerb(verb));
  const parsed = parseCliArguments(verb, argv);
  assert.ok(parsed.kind === 'usage', JSON.stringify(parsed));
  return parsed.problem;
}

describe('parseCliArguments', () => {
  const names: readonly (readonly [string, string, readonly string[]])[] = [
    ['get pods', 'get', []],
    ['get po web', 'get', ['web']],
    ['get pod/web', 'get', ['web']],
    ['get events', 'events', []],
    ['get images', 'images', []],
    ['logs pod web', 'logs', ['web']],
    ['restart pod web', 'restart', ['web']],
    ['restart pod web main', 'restart', ['web', 'main']],
    ['restart pod/pod main', 'restart', ['pod', 'main']],
    ['restart web main', 'restart', ['web', 'main']],
    ['restart pod', 'restart', ['pod']],
    ['port-forward pod 80', 'port-forward', ['pod', '80']],
    ['describe pod web', 'describe', ['web']],
    ['describe web', 'describe', ['web']],
    ['describe pod/kube-system/web', 'describe', ['kube-system/web']],
    ['explain', 'explain', []],
    ['explain pod web', 'explain', ['web']],
    ['logs pod/web', 'logs', ['web']],
    ['logs kube-system/web', 'logs', ['kube-system/web']],
    ['port-forward web 80 :81', 'port-forward', ['web', '80', ':81']],
  ];
  for (const [text, verb, words] of names)
    it(`reads the names of "${text}"`, () => {
      const parsed = parse(text);
      assert.deepEqual([parsed.verb, parsed.words], [verb, words]);
    });

  it('takes flags in every spelling', () => {
    for (const text of [
      'get pods -n a -o wide -w',
      'get -na pods -owide --watch',
      'get pods --namespace=a --output wide -w',
    ]) {
      const { namespace, output, watch } = parse(text).options;
      assert.deepEqual([namespace, output, watch], ['a', 'wide', true], text);
    }
    const { stdin, tty, container } = parse('exec web -itc main -- sh').options;
    assert.deepEqual([stdin, tty, container], [true, true, 'main']);
    assert.equal(parse('get pods --watch --watch=false').options.watch, false);
  });

  it('reads numbers and durations of logs', () => {
    const { tailLines, sinceSeconds, follow, previous, timestamps } = parse(
      'logs web --tail 5 --since=1500ms -fp --timestamps',
    ).options;
    assert.deepEqual([tailLines, sinceSeconds, follow, previous, timestamps], [5, 2, true, true, true]);
    assert.equal(parse('logs web --tail=-1').options.tailLines, undefined);
  });

  it('leaves everything after "--" to the command', () => {
    const { command, words, options } = parse('exec web -i -- ls -la -- x');
    assert.deepEqual([command, words, options.tty], [['ls', '-la', '--', 'x'], ['web'], false]);
  });

  it('finds the socket by root directory or by name', () => {
    assert.equal(parse('explain').options.rootDir, undefined);
    const { rootDir, socket } = parse('explain --root-dir=/x --socket /y').options;
    assert.deepEqual([rootDir, socket], ['/x', '/y']);
  });

  const refusals: readonly (readonly [string, RegExp])[] = [
    ['get', /^name what to get: pods, .* or /],
    ['get secrets a', /^all secrets are listed, not "a"$/],
    ['get pods -o jsonpath={.a', /^invalid jsonpath .*: unclosed action$/],
    ['get pods -o custom-columns=NAME', /^invalid column "NAME": want TITLE:PATH/],
    ['describe web -o jsonpath={.a}', /^templates are for lists of "get" only/],
    ['images -o jsonpath={.a}', /^templates are for lists of "get" only/],
    [
      'get images -o jsonpath={.a}',
      /^templates are for pods, volumes, nodes, .* and secrets, not for images$/,
    ],
    ['get ev -o custom-columns=A:.a', /^templates are for .*, not for events$/],
    ['get resources -o jsonpath={.a}', /^templates are for .*, not for resources$/],
    ['get pods -w -o jsonpath={.a}', /^templates are for lists without -w$/],
    ['get volumes -w', /^-w is for pods and events, not for volumes$/],
    ['get cm -w', /^-w is for .*, not for configmaps$/],
    ['get secrets --watch', /^-w is for .*, not for secrets$/],
    ['get nodes -w', /^-w is for .*, not for nodes$/],
    ['get images -w', /^-w is for .*, not for images$/],
    ['get nodes -l a=b', /^-l is for pods, volumes, configmaps and secrets, not for nodes$/],
    ['get events -l a=b', /^-l is for .*, not for events$/],
    ['get services', /not "services"$/],
    ['get services -w', /not "services"$/],
    ['get imags', /not "imags" \(did you mean images\?\)$/],
    ['completion', /^name a shell: bash, zsh or fish$/],
    ['completion sh', /not for "sh"$/],
    ['man ls', /^too many words, got "ls"$/],
    ['get pods a b', /^one pod at a time, got "a" "b"$/],
    ['get pods --bogus', /^unknown flag: --bogus$/],
    ['logs web --folow', /^unknown flag: --folow \(did you mean --follow\?\)$/],
    ['describe pod', /^name a pod$/],
    ['get pods -x', /^unknown shorthand flag: "x" in -x$/],
    ['get pods -f', /^unknown shorthand flag: "f" in -f$/],
    ['get pods -n', /^flag needs an argument: -n$/],
    ['get pods --namespace', /^flag needs an argument: --namespace$/],
    ['get pods --watch=maybe', /want true or false$/],
    ['get pods -o table', /^unknown output format "table"/],
    ['describe', /^name a pod$/],
    ['logs', /^name a pod$/],
    ['logs web --tail=-2', /^invalid number of lines "-2": want a whole number, or -1 for all$/],
    ['logs web --since=soon', /^invalid duration "soon"/],
    ['logs web -- x', /^nothing comes after "--" here$/],
    ['exec web', /^name a command after "--"$/],
    ['exec web ls', /^the command comes after "--", got "ls"$/],
    ['port-forward web', /^name a pod and its ports$/],
  ];
  for (const [text, problem] of refusals) it(`refuses "${text}"`, () => assert.match(refuse(text), problem));

  it('gives help for every sub-command, with its own flags only', () => {
    for (const verb of VERBS) {
      assert.deepEqual(parseCliArguments(verb, ['--help']), { kind: 'help', verb });
      assert.match(renderCliHelp(verb), new RegExp(`^.+\\.\\n\\nUsage:\\n {2}kubelet ${verb}( |\\n)`));
    }
    assert.match(renderCliHelp('logs'), /--tail/);
    assert.doesNotMatch(renderCliHelp('get'), /--tail/);
  });

  it('takes several manifests, and standard input', () => {
    const asked = parseCliArguments('run', ['-f', 'a.yaml', '--filename=b.yaml', '-f', '-', '--once']);
    assert.ok(asked.kind === 'command');
    assert.deepEqual([asked.words, asked.options.once], [['a.yaml', 'b.yaml', '-'], true]);
  });

  it('knows no other words', () => {
    for (const word of ['walk', '--help', undefined, '']) assert.equal(isVerb(word), false);
  });
});
