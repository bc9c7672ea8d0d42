import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findProjectId,
  hasAccounting,
  listFreeIds,
  parseQuotaUse,
  withoutProject,
  withProject,
} from './project-quota.ts';

const FILES = {
  projects: '# others\n7:/srv\n1048577:/pods/a\n',
  projid: '# names\nsrv:7\nvolume1048577:1048577\nbackup:1048579',
};

describe('project files', () => {
  it('say whose an id is', () => {
    assert.equal(findProjectId(FILES, '/pods/a'), 1048577);
    assert.equal(findProjectId(FILES, '/pods'), undefined);
  });

  it('show which ids are free, also those that only have a name', () => {
    assert.deepEqual(listFreeIds(FILES, 3), [1048578, 1048580, 1048581]);
    assert.deepEqual(listFreeIds({ projects: '', projid: '' }, 1), [1048577]);
  });

  it('get and lose one volume, and nothing of others', () => {
    const more = withProject(FILES, 1048578, '/pods/b');
    assert.equal(more.projects, `${FILES.projects}1048578:/pods/b\n`);
    assert.equal(more.projid, `${FILES.projid}\nvolume1048578:1048578\n`);
    assert.deepEqual(withoutProject(more, 1048578, '/pods/b'), { ...FILES, projid: `${FILES.projid}\n` });
  });
});

describe('parseQuotaUse', () => {
  it('reads the use, and nothing from other texts', () => {
    assert.equal(parseQuotaUse('/dev/sdb1             5120          0          0  00 [--------] /d\n'), 5120);
    for (const text of ['', 'error\n', '/dev/sdb1 none']) assert.equal(parseQuotaUse(text), undefined);
  });
});

describe('hasAccounting', () => {
  it('is said by the state of project quotas', () => {
    assert.ok(hasAccounting('Project quota state on /d (/dev/sdb1)\n  Accounting: ON\n  Enforcement: OFF\n'));
    assert.ok(!hasAccounting('Project quota state on /d (/dev/sdb1)\n  Accounting: OFF\n'));
  });
});
