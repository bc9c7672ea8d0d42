import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { textLogger } from '../../../../test/fakes/text-logger.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { LocalObject } from '../../../core/manifest/local-object.ts';
import { renderProblem } from '../../../core/manifest/manifest-problem.ts';
import { SystemClock } from '../machine/system-clock.ts';
import { FilePodSource } from './file-pod-source.ts';
import { isPassedOver } from './list-manifests.ts';

/** Periodic looks are off the table: what these tests see comes from events and from rechecks. */
const NEVER_MS = 3_600_000;
const DEADLINE_MS = 10_000;

function manifest(name: string, image = 'nginx:1'): string {
  return `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  containers:\n  - name: c\n    image: ${image}\n`;
}

class Harness {
  readonly deliveries: (readonly Pod[])[] = [];
  readonly completes: (boolean | undefined)[] = [];
  readonly problems: string[] = [];
  objects: readonly LocalObject[] | undefined;
  readonly logLines: string[] = [];
  readonly source: FilePodSource;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #notify: () => void = () => {};

  constructor(path: string, fileCheckFrequencyMs = NEVER_MS, isStandalone = false) {
    const write = (line: string): void => {
      this.logLines.push(line);
      this.#notify();
    };
    this.source = new FilePodSource({
      path,
      nodeName: 'n',
      fileCheckFrequencyMs,
      clock: new SystemClock(),
      logger: textLogger(write),
      ...(isStandalone ? { onObjects: (objects) => this.#takeObjects(objects) } : {}),
      onProblem: (problem) => {
        this.problems.push(renderProblem(problem));
        this.#notify();
      },
    });
    this.#running = this.source.run(this.#stop.signal, (pods, complete) => {
      this.deliveries.push(pods);
      this.completes.push(complete);
      this.#notify();
    });
  }

  #takeObjects(objects: readonly LocalObject[]): void {
    this.objects = objects;
    this.#notify();
  }

  get names(): readonly string[] | undefined {
    return this.deliveries.at(-1)?.map(({ metadata }) => metadata.name);
  }

  get images(): readonly (string | undefined)[] | undefined {
    return this.deliveries.at(-1)?.map(({ spec }) => spec.containers[0]?.image);
  }

  /** Resolves when `condition` holds, which is checked after every delivery and log line of the source. */
  async until(what: string, condition: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    while (!condition()) {
      const changed = Promise.withResolvers<void>();
      this.#notify = changed.resolve;
      deadline.addEventListener('abort', () => changed.resolve(), { once: true });
      await changed.promise;
      if (deadline.aborted && !condition()) {
        assert.fail(`not in time: ${what}; pods ${this.names}, problems ${this.problems}`);
      }
    }
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'manifests-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

function watchPath(
  t: TestContext,
  path: string,
  fileCheckFrequencyMs?: number,
  isStandalone?: boolean,
): Harness {
  const harness = new Harness(path, fileCheckFrequencyMs, isStandalone);
  t.after(() => harness.end());
  return harness;
}

function isNames(harness: Harness, ...names: readonly string[]): () => boolean {
  return () => JSON.stringify(harness.names) === JSON.stringify(names);
}

test('FilePodSource delivers the files of a directory at once, in order', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'b.yaml'), manifest('b'));
  await writeFile(join(directory, 'a.json'), manifest('a'));
  await mkdir(join(directory, 'c.d'));
  await writeFile(join(directory, 'c.d', 'deep.yaml'), manifest('deep'));
  const harness = watchPath(t, `${directory}//`);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.names, ['a-n', 'b-n']);
});

test('FilePodSource delivers an empty set for an empty directory', async (t) => {
  const harness = watchPath(t, await temporaryDirectory(t));
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.deliveries, [[]]);
});

test('FilePodSource acts on a new, changed and removed manifest without its periodic look', async (t) => {
  const directory = await temporaryDirectory(t);
  const harness = watchPath(t, directory);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  const file = join(directory, 'web.yaml');
  const timed = async (what: string, change: Promise<void>, condition: () => boolean): Promise<void> => {
    await change;
    const startedAt = performance.now();
    // The look comes after NEVER_MS: what is seen was reported by the kernel.
    await harness.until(what, condition);
    t.diagnostic(`${what}: ${Math.round(performance.now() - startedAt)} ms after the write`);
  };
  await timed('new', writeFile(file, manifest('web')), isNames(harness, 'web-n'));
  const uid = harness.deliveries.at(-1)?.[0]?.metadata.uid;
  await timed(
    'changed',
    writeFile(file, manifest('web', 'nginx:2')),
    () => harness.images?.[0] === 'nginx:2',
  );
  assert.notEqual(harness.deliveries.at(-1)?.[0]?.metadata.uid, uid);
  await timed('removed', rm(file), isNames(harness));
});

test('FilePodSource leaves 19 manifests alone when one of 20 breaks, reports it once and keeps its pod', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = (i: number): string => join(directory, `${String(i).padStart(2, '0')}.yaml`);
  for (let i = 0; i < 20; i += 1) await writeFile(file(i), manifest(`pod-${i}`));
  const harness = watchPath(t, directory, 100);
  await harness.until('20 pods', () => harness.names?.length === 20);
  await writeFile(file(7), `${manifest('pod-7')}    imagePullpolicy: Always\n`);
  await harness.until('a problem', () => harness.problems.length > 0);
  const problem = `${file(7)}:9: spec.containers[0].imagePullpolicy: unknown field (did you mean imagePullPolicy?)`;
  await writeFile(file(19), manifest('pod-19', 'nginx:2'));
  await harness.until('the change of another file', () => harness.images?.[19] === 'nginx:2');
  assert.deepEqual(harness.problems, [problem]);
  assert.deepEqual(harness.source.problems().map(renderProblem), [problem]);
  assert.equal(harness.deliveries.length, 2, 'the broken file caused no delivery');
  assert.equal(harness.names?.length, 20);
  assert.equal(harness.logLines.filter((line) => line.includes('cannot use manifest')).length, 1);
  await writeFile(file(7), manifest('pod-7', 'nginx:2'));
  await harness.until('the mended file', () => harness.images?.[7] === 'nginx:2');
  assert.deepEqual(harness.source.problems(), []);
});

test('FilePodSource reports a file that is bad from the start and runs the others', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.yaml'), 'kind: [');
  await writeFile(join(directory, 'b.yaml'), manifest('b'));
  await writeFile(join(directory, 'c.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.names, ['b-n']);
  assert.match(harness.problems[0] ?? '', /a\.yaml:1: cannot read YAML: /);
  assert.match(harness.problems[1] ?? '', /c\.yaml: the file is not UTF-8 text$/);
});

test('FilePodSource does not take a file emptied and filled again for a removed pod or a mistake', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'web.yaml');
  await writeFile(file, manifest('web'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', isNames(harness, 'web-n'));
  await writeFile(file, '');
  await writeFile(join(directory, 'other.yaml'), manifest('other'));
  await harness.until('the other file, so the empty one was seen', () => harness.names?.length === 2);
  await writeFile(file, manifest('web', 'nginx:2'));
  await harness.until('new content', () => harness.images?.includes('nginx:2') === true);
  assert.deepEqual(harness.problems, []);
  assert.deepEqual(
    harness.deliveries.map((pods) => pods.some(({ metadata }) => metadata.name === 'web-n')),
    [true, true, true],
  );
});

test('FilePodSource ends the pod of a file that is removed and made again alike, and delivers it once more', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'web.yaml');
  await writeFile(file, manifest('web'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', isNames(harness, 'web-n'));
  await rm(file);
  await writeFile(file, manifest('web'));
  await harness.until('third delivery', () => harness.deliveries.length === 3);
  const uids = harness.deliveries.map((pods) => pods.map(({ metadata }) => metadata.uid));
  assert.deepEqual(uids, [uids[0], [], uids[0]]);
});

test('FilePodSource sees a file replaced by rename', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'web.yaml');
  await writeFile(file, manifest('web'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', isNames(harness, 'web-n'));
  await writeFile(join(directory, '.web.yaml.tmp'), manifest('web', 'nginx:2'));
  await rename(join(directory, '.web.yaml.tmp'), file);
  await harness.until('new content', () => harness.images?.[0] === 'nginx:2');
  assert.equal(harness.deliveries.length, 2, 'the pod was never away');
});

test('FilePodSource gives a name to the first file that uses it and reports the second', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.yaml'), manifest('web', 'nginx:1'));
  await writeFile(join(directory, 'b.yaml'), manifest('web', 'nginx:2'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.images, ['nginx:1']);
  assert.deepEqual(harness.problems, [
    `${join(directory, 'b.yaml')}: metadata.name: pod "default/web-n" is already defined in ${join(directory, 'a.yaml')}: give this one another name`,
  ]);
  await rm(join(directory, 'a.yaml'));
  await harness.until('the second takes over', () => harness.images?.[0] === 'nginx:2');
});

test('FilePodSource waits for a directory that is not there, and calls its pods unknown until then', async (t) => {
  const directory = join(await temporaryDirectory(t), 'manifests');
  const harness = watchPath(t, directory);
  await harness.until('an empty set', isNames(harness));
  assert.deepEqual(harness.completes, [false]);
  assert.ok(harness.logLines.some((line) => line.includes('manifest path does not exist')));
  await mkdir(directory);
  await harness.until('a directory that is there', () => harness.completes.at(-1) === true);
  await writeFile(join(directory, 'a.yaml'), manifest('a'));
  await harness.until('the pod', isNames(harness, 'a-n'));
  await writeFile(join(directory, 'b.yaml'), manifest('b'));
  await harness.until('a later pod', isNames(harness, 'a-n', 'b-n'));
});

test('FilePodSource keeps its pods when the directory vanishes, until it is back, and takes an empty one at its word', async (t) => {
  const directory = join(await temporaryDirectory(t), 'manifests');
  await mkdir(directory);
  await writeFile(join(directory, 'a.yaml'), manifest('a'));
  await writeFile(join(directory, 'b.yaml'), manifest('b'));
  const harness = watchPath(t, directory);
  await harness.until('both pods', isNames(harness, 'a-n', 'b-n'));
  await rename(directory, `${directory}.away`);
  await harness.until('the log line', () =>
    harness.logLines.some((line) => line.includes('manifest path has vanished, keeping its pods')),
  );
  await writeFile(join(`${directory}.away`, 'c.yaml'), manifest('c'));
  await rename(`${directory}.away`, directory);
  await harness.until('the third pod', isNames(harness, 'a-n', 'b-n', 'c-n'));
  assert.equal(harness.deliveries.length, 2, 'meanwhile nothing was taken back');
  await rm(directory, { recursive: true });
  await mkdir(directory);
  await harness.until('nothing', isNames(harness));
});

test('FilePodSource ends the pods of a single file that is removed', async (t) => {
  const file = join(await temporaryDirectory(t), 'all.yaml');
  await writeFile(file, manifest('a'));
  const harness = watchPath(t, file);
  await harness.until('the pod', isNames(harness, 'a-n'));
  await rm(file);
  await harness.until('nothing', isNames(harness));
});

test('FilePodSource reads a single file with several documents and ignores its neighbours', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'all.yaml');
  await writeFile(file, `${manifest('a')}---\n${manifest('b')}`);
  await writeFile(join(directory, 'other.yaml'), manifest('other'));
  const harness = watchPath(t, file);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.names, ['a-n', 'b-n']);
  await writeFile(file, manifest('a'));
  await harness.until('one document left', isNames(harness, 'a-n'));
});

test('FilePodSource follows links to files and the swap of a mounted ConfigMap', async (t) => {
  const directory = await temporaryDirectory(t);
  for (const version of ['1', '2']) {
    await mkdir(join(directory, `..${version}`));
    await writeFile(join(directory, `..${version}`, 'web.yaml'), manifest('web', `nginx:${version}`));
  }
  await symlink('..1', join(directory, '..data'));
  await symlink('..data/web.yaml', join(directory, 'web.yaml'));
  const harness = watchPath(t, directory);
  await harness.until('first version', () => harness.images?.[0] === 'nginx:1');
  await symlink('..2', join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  await harness.until('second version', () => harness.images?.[0] === 'nginx:2');
});

test('FilePodSource finds changes without an event by its periodic check', async (t) => {
  const directory = await temporaryDirectory(t);
  const target = join(await temporaryDirectory(t), 'elsewhere.yaml');
  await writeFile(target, manifest('web'));
  await symlink(target, join(directory, 'web.yaml'));
  const harness = watchPath(t, directory, 50);
  await harness.until('first version', () => harness.images?.[0] === 'nginx:1');
  await writeFile(target, manifest('web', 'nginx:2'));
  await harness.until('second version', () => harness.images?.[0] === 'nginx:2');
});

test('FilePodSource delivers nothing new for a touched file or for files it passes over', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'web.yaml');
  await writeFile(file, manifest('web'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', isNames(harness, 'web-n'));
  await utimes(file, new Date(), new Date());
  for (const name of ['.hidden.yaml', 'web.yaml~', '.web.yaml.swp', '4913', '#web.yaml#', 'web.yaml.tmp']) {
    await writeFile(join(directory, name), manifest('wrong'));
  }
  await writeFile(join(directory, 'last.yaml'), manifest('last'));
  await harness.until('the last file', () => harness.names?.includes('last-n') === true);
  assert.equal(harness.deliveries.length, 2);
  assert.deepEqual(harness.names, ['last-n', 'web-n']);
});

test('FilePodSource calls its deliveries incomplete until every file was good once', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'broken.yaml');
  await writeFile(file, 'kind: [');
  await writeFile(join(directory, 'web.yaml'), manifest('web'));
  const harness = watchPath(t, directory);
  await harness.until('first delivery', isNames(harness, 'web-n'));
  assert.deepEqual(harness.completes, [false]);
  await writeFile(file, manifest('broken'));
  await harness.until('the mended file', isNames(harness, 'broken-n', 'web-n'));
  await writeFile(file, 'kind: [');
  await writeFile(join(directory, 'later.yaml'), manifest('later'));
  await harness.until('a later file', isNames(harness, 'broken-n', 'later-n', 'web-n'));
  assert.deepEqual(harness.completes, [false, true, true]);
});

test('isPassedOver knows editor files from manifests', () => {
  const passed = ['.x', 'x~', '#x#', 'x.swp', 'x.swx', '4913', 'x.tmp', 'x.yaml.bak', 'x.orig'];
  assert.deepEqual(passed.filter(isPassedOver), passed);
  assert.deepEqual(['x.yaml', 'x.json', 'x', 'tmp', '49130', 'bak.yaml'].filter(isPassedOver), []);
});

function configMap(value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  key: ${value}\n`;
}

const SECRET = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  key: hunter\n`;

const dataOf = (harness: Harness, kind: string): unknown =>
  harness.objects?.flatMap((object) => (object.kind === kind && 'data' in object ? [object.data] : []))[0];

test('FilePodSource hands on objects before pods, their changes, and their last good state', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'app.yaml');
  await writeFile(file, configMap('one'));
  await writeFile(join(directory, 'web.yaml'), manifest('web'));
  const harness = watchPath(t, directory, undefined, true);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(dataOf(harness, 'ConfigMap'), { key: 'one' });
  await writeFile(file, configMap('two'));
  await harness.until('change', () => isValue(harness, 'two'));
  await writeFile(file, configMap('[]'));
  await harness.until('problem', () => harness.problems.length > 0);
  assert.deepEqual(harness.problems, [`${file}:6: data[key]: expected a string, got a list`]);
  assert.deepEqual(dataOf(harness, 'ConfigMap'), { key: 'two' });
  await rm(file);
  await harness.until('removal', () => harness.objects?.length === 0);
});

function isValue(harness: Harness, value: string): boolean {
  return JSON.stringify(dataOf(harness, 'ConfigMap')) === JSON.stringify({ key: value });
}

test('FilePodSource takes a Secret only from a file that others cannot read', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'login.yaml');
  await writeFile(file, SECRET);
  await chmod(file, 0o640);
  const harness = watchPath(t, directory, undefined, true);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(harness.objects, []);
  assert.deepEqual(harness.problems, [
    `${file}:1: a file that holds a Secret must not be open to others, but its mode is 0640: run "chmod 600 ${file}"`,
  ]);
  assert.ok(!harness.logLines.join().includes('hunter'), 'the value is not logged');
  await chmod(file, 0o600);
  await harness.until('objects', () => harness.objects?.length === 1);
});

test('FilePodSource leaves an object to the first file that has it', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a.yaml'), configMap('first'));
  await writeFile(join(directory, 'b.yaml'), configMap('second'));
  const harness = watchPath(t, directory, undefined, true);
  await harness.until('first delivery', () => harness.deliveries.length > 0);
  assert.deepEqual(dataOf(harness, 'ConfigMap'), { key: 'first' });
  assert.match(harness.problems[0] ?? '', /ConfigMap default\/app is already defined in .*a\.yaml/);
});
