/** Certificates made on the spot with the openssl program: an authority, servers and clients signed by it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export class TestAuthority {
  readonly cert: string;
  readonly #directory: string;
  #issued = 0;

  private constructor(cert: string, directory: string) {
    this.cert = cert;
    this.#directory = directory;
  }

  static async create(name = 'test authority'): Promise<TestAuthority> {
    const directory = await mkdtemp(join(tmpdir(), 'kubelet-certificates-'));
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
    ];
    await run('openssl', [...args, '-subj', `/CN=${name}`, '-keyout', 'ca.key', '-out', 'ca.crt'], {
      cwd: directory,
    });
    return new TestAuthority(await readFile(join(directory, 'ca.crt'), 'utf8'), directory);
  }

  /** A certificate for 127.0.0.1 and localhost, or for a client when `names` is empty. */
  async issue(commonName: string, names = 'IP:127.0.0.1,DNS:localhost'): Promise<KeyPair> {
    const cwd = this.#directory;
    const base = `issued-${++this.#issued}`;
    const usage =
      names === '' ? 'extendedKeyUsage=clientAuth' : `extendedKeyUsage=serverAuth\nsubjectAltName=${names}`;
    await writeFile(join(cwd, `${base}.ext`), `${usage}\n`);
    const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', `${base}.key`, '-out', `${base}.csr`];
    await run('openssl', [...newKey, '-subj', `/CN=${commonName}`, ...files], { cwd });
    const sign = [
      'x509',
      '-req',
      '-in',
      `${base}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
    ];
    await run('openssl', [...sign, '-days', '2', '-extfile', `${base}.ext`, '-out', `${base}.crt`], { cwd });
    const read = (end: string): Promise<string> => readFile(join(cwd, `${base}.${end}`), 'utf8');
    return { cert: await read('crt'), key: await read('key') };
  }

  /** Checks and signs a request; the names in it go into the certificate. */
  async sign(request: string): Promise<string> {
    const cwd = this.#directory;
    const base = `signed-${++this.#issued}`;
    await writeFile(join(cwd, `${base}.csr`), request);
    await run('openssl', ['req', '-in', `${base}.csr`, '-verify', '-noout'], { cwd });
    const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy'];
    const files = ['-in', `${base}.csr`, '-out', `${base}.crt`];
    await run('openssl', ['x509', '-req', '-days', '2', ...authority, ...files], { cwd });
    return readFile(join(cwd, `${base}.crt`), 'utf8');
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}
