import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASES, NODES, PODS } from '../../../ports/cluster/api-resource.ts';
import { renderRef, toCollectionPath, toListPath, toObjectPath } from './resource-path.ts';

describe('resource paths', () => {
  it('lead to core and grouped resources, in a namespace or not', () => {
    assert.equal(toCollectionPath(PODS), '/api/v1/pods');
    assert.equal(toCollectionPath(PODS, 'a'), '/api/v1/namespaces/a/pods');
    const lease = { resource: LEASES, namespace: 'kube-node-lease', name: 'one' };
    assert.equal(toObjectPath(lease), '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/one');
    assert.equal(toObjectPath({ resource: NODES, name: 'one' }, 'status'), '/api/v1/nodes/one/status');
  });

  it('carry selectors, encoded', () => {
    const query = { resource: PODS, fieldSelector: 'spec.nodeName=a b' };
    assert.equal(
      toListPath(query, { limit: 5, none: undefined }),
      '/api/v1/pods?fieldSelector=spec.nodeName%3Da%20b&limit=5',
    );
  });

  it('cannot be led elsewhere by a name', () => {
    for (const name of ['../secrets/x', '..', 'a/b', 'a?b'])
      assert.match(
        toObjectPath({ resource: PODS, namespace: 'n', name }),
        /^\/api\/v1\/namespaces\/n\/pods\/[^/?]+$/,
      );
    assert.equal(toObjectPath({ resource: PODS, name: '..' }), '/api/v1/pods/%2E%2E');
  });

  it('name an object for messages', () => {
    assert.equal(renderRef({ resource: PODS, namespace: 'n', name: 'a' }), 'pods "n/a"');
    assert.equal(renderRef({ resource: NODES, name: 'a' }), 'nodes "a"');
  });
});
