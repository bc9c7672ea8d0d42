import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const PORTS = 120;
const PROCESSES = 4;
/** Prints its ports, and lives until its input ends. */
const TAKE = `const { freePort } = await import(${JSON.stringify(import.meta.resolve('./free-port.ts'))});
  const ports = []; while (ports.length < ${PORTS}) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();`;

describe('free ports', () => {
  it('are the wanted one where it is free, and another where it is not', async () => {
    const wanted = await freePort();
    assert.equal(await freePort(wanted), wanted);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
    assert.notEqual(await freePort(wanted), wanted);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are never given twice, not by processes that live at the same time either', async () => {
    const run = promisify(execFile);
    const taken = Array.from({ length: PROCESSES }, () => {
      const running = run(process.execPath, ['--input-type=module', '-e', TAKE]);
      const { child } = running;
      const ports = new Promise<number[]>((resolve) =>
        child.stdout?.once('data', (text) => resolve(JSON.parse(String(text)) as number[])),
      );
      const end = (): Promise<unknown> => {
        child.stdin?.end();
        return running;
      };
      return { ports, end };
    });
    const ports = (await Promise.all(taken.map((one) => one.ports))).flat();
    await Promise.all(taken.map((one) => one.end()));
    assert.equal(ports.length, PROCESSES * PORTS);
    assert.equal(new Set(ports).size, ports.length);
  });
});
