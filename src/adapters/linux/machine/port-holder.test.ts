import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findPortHolder } from './port-holder.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 100\n`;

describe('findPortHolder', () => {
  it('finds this very process', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const holder = await findPortHolder(port);
    assert.equal(holder?.pid, process.pid);
    assert.notEqual(holder?.program, '');
    server.close();
    await once(server, 'close');
    assert.equal(await findPortHolder(port), undefined);
  });

  it('counts only listeners, of both families, and shows no control characters of a name', async () => {
    const proc = await mkdtemp(join(tmpdir(), 'port-holder-'));
    await mkdir(join(proc, 'net'));
    await writeFile(join(proc, 'net/tcp'), HEAD + row('0100007F:2808', '01', 7));
    await writeFile(join(proc, 'net/tcp6'), HEAD + row(`${'0'.repeat(32)}:2808`, '0A', 8));
    for (const [pid, inode] of [
      ['11', 7],
      ['12', 8],
    ] as const) {
      await mkdir(join(proc, pid, 'fd'), { recursive: true });
      await symlink(`socket:[${inode}]`, join(proc, pid, 'fd/3'));
      await writeFile(join(proc, pid, 'comm'), `web\u001b[2J${pid}\n`);
    }
    assert.deepEqual(await findPortHolder(10_248, proc), { pid: 12, program: 'web^[[2J12' });
    assert.equal(await findPortHolder(10_249, proc), undefined);
    assert.equal(await findPortHolder(10_248, join(proc, 'none')), undefined);
    await rm(proc, { recursive: true });
  });
});
