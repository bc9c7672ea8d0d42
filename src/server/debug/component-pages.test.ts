import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { type ComponentFacts, toFlagzRoute, toStatuszRoute } from './component-pages.ts';

const clock = new FakeClock();
const FACTS: ComponentFacts = {
  binaryVersion: '1.36.4',
  startedAtMs: clock.now() - 3_725_000,
  clock,
  flags: [
    ['v', '2'],
    ['address', '0.0.0.0'],
  ],
  paths: () => ['/healthz', '/metrics'],
};

async function ask({ handle }: Route, accept?: string): Promise<HttpReply> {
  const headers = accept === undefined ? {} : { accept };
  const request = { method: 'GET', path: '/', query: new URLSearchParams(), headers, body: new Uint8Array() };
  const reply = await (handle as (request: object, signal: AbortSignal) => HttpReply | Promise<HttpReply>)(
    request,
    new AbortController().signal,
  );
  return reply;
}

const as = (type: string, kind: string, version = 'v1beta1'): string =>
  `${type};as=${kind};v=${version};g=config.k8s.io`;

describe('statusz and flagz', () => {
  it('are plain text by default', async () => {
    for (const accept of [undefined, '*/*', 'text/plain', `${as('application/json', 'Other')}, */*`]) {
      const { status, headers, body } = await ask(toStatuszRoute(FACTS), accept);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
      assert.match(String(body), /^\nkubelet statusz\nWarning: /);
      assert.match(String(body), /\nUp: 1 hr 02 min 05 sec\n/);
      assert.match(String(body), /\nBinary version: 1\.36\.4\nEmulation version: 1\.36\nPaths: \/healthz/);
    }
    const { body } = await ask(toFlagzRoute(FACTS));
    assert.match(String(body), /^\nkubelet flagz\nWarning: .*\n\nv=2\naddress=0\.0\.0\.0\n$/);
  });

  it('are JSON and YAML for clients that name the kind', async () => {
    const json = await ask(toStatuszRoute(FACTS), as('application/json', 'Statusz'));
    assert.equal(json.headers['content-type'], 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
    const { kind, apiVersion, uptimeSeconds, emulationVersion, paths } = JSON.parse(String(json.body));
    assert.deepEqual(
      { kind, apiVersion, uptimeSeconds, emulationVersion, paths },
      {
        kind: 'Statusz',
        apiVersion: 'config.k8s.io/v1beta1',
        uptimeSeconds: 3725,
        emulationVersion: '1.36',
        paths: ['/healthz', '/metrics'],
      },
    );
    const yaml = await ask(toFlagzRoute(FACTS), as('application/yaml', 'Flagz'));
    assert.equal(yaml.headers['content-type'], 'application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz');
    assert.equal(
      yaml.body,
      'apiVersion: config.k8s.io/v1beta1\nflags:\n  address: 0.0.0.0\n  v: "2"\nkind: Flagz\nmetadata:\n  name: kubelet\n',
    );
  });

  it('warn about the previous version, and refuse unsupported types', async () => {
    const old = await ask(toFlagzRoute(FACTS), as('application/json', 'Flagz', 'v1alpha1'));
    const warning = 'This version of the flagz endpoint is deprecated. Please use a newer version.';
    assert.equal(old.headers['warning'], `299 - "${warning}"`);
    for (const accept of ['application/xml', 'application/json', as('application/json', 'Flagz', 'v2')]) {
      const { status, body } = await ask(toFlagzRoute(FACTS), accept);
      assert.equal(status, 406);
      assert.equal(JSON.parse(String(body)).reason, 'NotAcceptable');
    }
  });
});
