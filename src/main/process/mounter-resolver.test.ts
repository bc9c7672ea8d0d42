import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { writeMounterResolver } from './mounter-resolver.ts';

describe('writeMounterResolver', () => {
  it('has the servers of the cluster and the domains of the host, or says why not', async () => {
    const base = await mkdtemp(join(tmpdir(), 'mounter-resolver-'));
    try {
      const logger = new RecordingLogger();
      const resolvConf = join(base, 'host');
      await writeFile(resolvConf, 'nameserver 192.0.2.1\nsearch a.example b.example.\n');
      const config = { clusterDNS: ['10.96.0.10', 'fd00::10'], resolvConf };
      const mounter = join(base, 'm', 'mounter');
      await writeMounterResolver(mounter, config, logger);
      assert.deepEqual(
        logger.lines.map(({ message }) => message),
        ['cannot write the resolver file of the mounter'],
      );
      await mkdir(join(base, 'm/rootfs/etc'), { recursive: true });
      await writeMounterResolver(mounter, config, logger);
      const written = (): Promise<string> => readFile(join(base, 'm/rootfs/etc/resolv.conf'), 'utf8');
      const servers = 'nameserver 10.96.0.10\nnameserver fd00::10\n';
      assert.equal(await written(), `${servers}search a.example b.example\n`);
      await writeMounterResolver(mounter, { ...config, resolvConf: join(base, 'absent') }, logger);
      assert.equal(await written(), servers);
      assert.equal(logger.lines.length, 2);
    } finally {
      await rm(base, { recursive: true });
    }
  });
});
