/** Certificates for tests, made by openssl in a directory of their own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SampleCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface SampleAuthority extends SampleCertificate {
  /** An authority that this one has signed. */
  intermediate(name: string): SampleAuthority;
  /** `subject` as openssl takes it, such as `/CN=a/O=b`. */
  issue(subject: string, options?: { usage?: string; days?: number; san?: string }): SampleCertificate;
}

export class SampleCertificates implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  #count = 0;

  authority(name: string): SampleAuthority {
    const own = this.#path();
    this.#run('req', '-x509', ...newKey(own), '-subj', `/CN=${name}`, '-days', '2', '-out', `${own}.crt`);
    return this.#toAuthority(own);
  }

  #toAuthority(own: string): SampleAuthority {
    return {
      ...this.#read(own),
      issue: (subject, options = {}) => this.#read(this.#issue(own, subject, options)),
      intermediate: (name) =>
        this.#toAuthority(this.#issue(own, `/CN=${name}`, { extra: 'basicConstraints=critical,CA:TRUE' })),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #issue(
    authority: string,
    subject: string,
    { usage, days = 1, san, extra }: { usage?: string; days?: number; san?: string; extra?: string },
  ): string {
    const own = this.#path();
    const extensions = [
      extra ?? `extendedKeyUsage=${usage ?? 'clientAuth'}`,
      ...(san === undefined ? [] : [`subjectAltName=${san}`]),
    ];
    writeFileSync(`${own}.ext`, `${extensions.join('\n')}\n`);
    // openssl leaves out attributes whose names it does not know.
    writeFileSync(
      `${own}.cnf`,
      'oid_section=ids\n[ids]\nkubeUid=1.3.6.1.4.1.57683.2\n[req]\ndistinguished_name=dn\n[dn]\n',
    );
    this.#run('req', '-config', `${own}.cnf`, ...newKey(own), '-subj', subject, '-out', `${own}.csr`);
    const signer = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    const files = ['-in', `${own}.csr`, '-out', `${own}.crt`, '-extfile', `${own}.ext`];
    this.#run('x509', '-req', ...files, ...signer, '-days', String(days));
    return own;
  }

  #path(): string {
    return join(this.#directory, String(this.#count++));
  }

  #read(path: string): SampleCertificate {
    return { cert: readFileSync(`${path}.crt`, 'utf8'), key: readFileSync(`${path}.key`, 'utf8') };
  }

  #run(...args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

function newKey(path: string): readonly string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${path}.key`];
}
