import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { AgentError } from '../../../base/errors.ts';
import { ProjectQuotas } from './project-quotas.ts';

const base = mkdtempSync(join(tmpdir(), 'quotas-'));
after(() => rmSync(base, { recursive: true }));
const { signal } = new AbortController();
const etc = join(base, 'etc');
const volume = join(base, 'pods', 'a');

/** A disk that counts, as xfs_quota shows it. */
class FakeQuotas {
  readonly commands: string[] = [];
  state = 'Project quota state\n  Accounting: ON\n';
  fsType = 'xfs';
  /** By id: KiB and files. */
  readonly used = new Map<number, readonly [number, number]>();
  failure: Error | undefined;

  readonly run = async (program: string, args: readonly string[]): Promise<string> => {
    assert.equal(program, 'xfs_quota');
    assert.equal(readFileSync(args[1] ?? '', 'utf8'), `/dev/sdb ${base} ${this.fsType} rw,prjquota 0 0\n`);
    const command = args.at(-1) ?? '';
    this.commands.push(command);
    if (this.failure !== undefined) throw this.failure;
    if (command === 'state -p') return this.state;
    const [, what, id] = /^quota -p -N -n -v -([bi]) (\d+)$/.exec(command) ?? [];
    const use = this.used.get(Number(id));
    if (what === undefined || use === undefined) return '';
    return `/dev/sdb   ${what === 'b' ? use[0] : use[1]}   0   0  00 [--------] ${base}\n`;
  };
}

let disk: FakeQuotas;
let quotas: ProjectQuotas;

beforeEach(() => {
  rmSync(etc, { recursive: true, force: true });
  for (const path of [etc, volume]) mkdirSync(path, { recursive: true });
  disk = new FakeQuotas();
  quotas = new ProjectQuotas({
    ownDirectory: base,
    etc,
    run: disk.run,
    readMounts: async () => `1 0 8:16 / ${base} rw - ${disk.fsType} /dev/sdb rw,prjquota\n`,
  });
});

const readEtc = (name: string): string => readFileSync(join(etc, name), 'utf8');

describe('ProjectQuotas', () => {
  it('gives a directory an id that nothing else has, once, and counts by it', async () => {
    writeFileSync(join(etc, 'projects'), '1048577:/other\n');
    disk.used.set(1048578, [0, 1]);
    assert.equal(await quotas.assign(volume, true, signal), true);
    const limit = '9223372036854775807';
    assert.deepEqual(disk.commands.slice(-2), [
      `limit -p bhard=${limit} bsoft=${limit} 1048579`,
      `project -s -p ${volume} 1048579`,
    ]);
    assert.equal(readEtc('projects'), `1048577:/other\n1048579:${volume}\n`);
    assert.equal(readEtc('projid'), 'volume1048579:1048579\n');
    const { length } = disk.commands;
    await quotas.assign(volume, true, signal);
    assert.equal(disk.commands.length, length);
    disk.used.set(1048579, [5120, 3]);
    assert.deepEqual(await quotas.read(volume, signal), { usedBytes: 5120 * 1024, inodesUsed: 3 });
  });

  it('takes it back, and leaves what is not its own', async () => {
    writeFileSync(join(etc, 'projid'), 'srv:7\n');
    await quotas.assign(volume, false, signal);
    assert.ok(disk.commands.includes('limit -p bhard=0 bsoft=0 1048577'));
    await quotas.clear(volume, signal);
    await quotas.clear(volume, signal);
    assert.equal(disk.commands.at(-1), 'limit -p bhard=0 bsoft=0 1048577');
    assert.deepEqual([readEtc('projects'), readEtc('projid')], ['', 'srv:7\n']);
    assert.equal(await quotas.read(volume, signal), undefined);
  });

  it('leaves a directory alone whose file system does not count, or where the program is missing', async () => {
    disk.state = 'Project quota state\n  Accounting: OFF\n';
    assert.equal(await quotas.assign(volume, true, signal), false);
    disk.fsType = 'btrfs';
    assert.equal(await quotas.assign(volume, true, signal), false);
    assert.deepEqual(disk.commands, ['state -p']);
    const missing = new AgentError('failed-precondition', 'spawn xfs_quota ENOENT');
    const without = new ProjectQuotas({
      ownDirectory: base,
      etc,
      run: async () => {
        throw missing;
      },
      readMounts: async () => `1 0 8:16 / ${base} rw - ext4 /dev/sdb rw\n`,
    });
    assert.equal(await without.assign(volume, true, signal), false);
  });

  it('writes no line for a quota that could not be made', async () => {
    await quotas.assign(volume, true, signal);
    await quotas.clear(volume, signal);
    disk.failure = new AgentError('unknown', 'cannot ask for quotas');
    await assert.rejects(quotas.assign(volume, true, signal), /cannot ask for quotas/);
    assert.equal(readEtc('projects'), '');
  });

  it('does not follow a link in place of a file of the system', async () => {
    writeFileSync(join(base, 'elsewhere'), `9:${volume}\n`);
    rmSync(join(etc, 'projects'), { force: true });
    symlinkSync(join(base, 'elsewhere'), join(etc, 'projects'));
    await assert.rejects(quotas.assign(volume, true, signal), /is not a plain file, cannot continue/);
    unlinkSync(join(etc, 'projects'));
  });

  it('names no directory to the program that it would read as several words', async () => {
    const odd = join(base, 'pods', 'a b');
    mkdirSync(odd, { recursive: true });
    assert.equal(await quotas.assign(odd, true, signal), false);
    assert.deepEqual(disk.commands, []);
  });
});

describe('ProjectQuotas of two disks', () => {
  it('asks about one at a time: the program has one table', async () => {
    const places = ['one', 'two'].map((name) => join(base, name));
    for (const place of places) mkdirSync(place, { recursive: true });
    const seen: string[] = [];
    const run = async (_program: string, args: readonly string[]): Promise<string> => {
      await new Promise((resolve) => setImmediate(resolve));
      const mount = args[args.indexOf('-f') + 1] ?? '';
      assert.match(readFileSync(args[1] ?? '', 'utf8'), new RegExp(` ${mount} `));
      seen.push(mount);
      return args.at(-1) === 'state -p' ? 'Project quota state\n  Accounting: ON\n' : '';
    };
    const readMounts = async (): Promise<string> =>
      places
        .map((place, at) => `${at + 2} 0 8:${at} / ${place} rw - xfs /dev/sd${at} rw,prjquota\n`)
        .join('');
    const both = new ProjectQuotas({ ownDirectory: base, etc, run, readMounts });
    await Promise.all(places.map((place) => both.assign(place, true, signal)));
    assert.deepEqual(new Set(seen), new Set(places));
  });
});
