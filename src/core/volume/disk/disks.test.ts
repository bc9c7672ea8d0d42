import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leadsToFcDisk, parseFcPlace, toFcDisk, toFcName, toFcPlace } from './fc-disk.ts';
import {
  type IscsiDisk,
  parseIscsiJson,
  renderIscsiJson,
  toIscsiDisk,
  toIscsiName,
  toIscsiPlace,
} from './iscsi-disk.ts';

const IQN = 'iqn.2003-01.org.example:disk';
const iscsi = (source: Parameters<typeof toIscsiDisk>[1]): IscsiDisk => {
  const disk = toIscsiDisk('pv-1', { iqn: IQN, lun: 2, ...source });
  assert.ok(disk.ok, disk.ok ? '' : disk.message);
  return disk.value;
};

describe('toIscsiDisk', () => {
  it('has every portal once, with the usual port where none is named', () => {
    const { portals } = iscsi({
      targetPortal: '10.0.0.1',
      portals: ['10.0.0.2:3261', '10.0.0.1:3260', '[fd::1]:3260'],
    });
    assert.deepEqual(portals, ['10.0.0.1:3260', '10.0.0.2:3261', '[fd::1]:3260']);
  });

  it('uses the interface of the node, or a copy of its own for another initiator', () => {
    assert.equal(iscsi({ targetPortal: 'a' }).interface, 'default');
    const own = iscsi({ targetPortal: 'a', iscsiInterface: 'iser', initiatorName: 'iqn.me' });
    assert.deepEqual([own.baseInterface, own.interface], ['iser', 'a:3260:pv-1']);
    assert.equal(toIscsiPlace(own), `iface-a:3260:pv-1/a:3260-${IQN}-lun-2`);
  });

  it('refuses names that would lead out of the directory of the plugin or be options', () => {
    for (const source of [
      { targetPortal: '../x' },
      { targetPortal: 'a', iscsiInterface: '/etc' },
      { targetPortal: '' },
      { targetPortal: '--help' },
      { targetPortal: 'a', iscsiInterface: '-I' },
      { targetPortal: 'a', portals: ['b\nc'] },
      { targetPortal: 'a', iqn: '--logout' },
      { targetPortal: 'a', iqn: 'iqn.x\nnode.startup = automatic' },
      { targetPortal: 'a', initiatorName: '-x' },
      { targetPortal: 'a', lun: -1 },
    ])
      assert.equal(toIscsiDisk('pv-1', { iqn: IQN, ...source }).ok, false);
  });

  it('has the unique name that the volume writes', () => {
    assert.equal(toIscsiName({ targetPortal: '10.0.0.1', iqn: IQN, lun: 2 }), `10.0.0.1:${IQN}:2`);
  });
});

describe('iscsi.json', () => {
  it('has upstream’s fields and is read back', () => {
    const disk = iscsi({ targetPortal: 'a' });
    assert.deepEqual(JSON.parse(renderIscsiJson(disk)), {
      VolName: 'pv-1',
      Portals: ['a:3260'],
      Iqn: IQN,
      Lun: '2',
      InitIface: 'default',
      Iface: 'default',
      InitiatorName: '',
      MetricsProvider: null,
    });
    assert.deepEqual(parseIscsiJson(renderIscsiJson(disk)), disk);
    for (const text of [
      '',
      '{}',
      '{"Portals":[],"Iqn":"x","Lun":"1"}',
      '{"Portals":["a"],"Iqn":"x","Lun":"y"}',
      '{"Portals":["-P"],"Iqn":"iqn.x","Lun":"1","InitIface":"default","Iface":"default"}',
      '{"Portals":["a"],"Iqn":"--help","Lun":"1","InitIface":"default","Iface":"default"}',
    ])
      assert.equal(parseIscsiJson(text), undefined);
  });
});

describe('toFcDisk', () => {
  it('is found by ports and number, else by ids with underscores for blanks', () => {
    const byPort = toFcDisk({ targetWWNs: ['50060e80', '50060e81'], lun: 0, wwids: ['x'] });
    assert.deepEqual(byPort, { ok: true, value: { by: 'port', wwns: ['50060e80', '50060e81'], lun: 0 } });
    const byId = toFcDisk({ targetWWNs: ['50060e80'], wwids: ['ACME disk 1'] });
    assert.deepEqual(byId, { ok: true, value: { by: 'id', wwids: ['ACME_disk_1'] } });
    assert.deepEqual(toFcDisk({ lun: 1 }), {
      ok: false,
      message: 'fc: no fc disk information found. failed to make a new mounter',
    });
    for (const odd of ['..', '-x', '', 'a/b', 'a\nb']) assert.equal(toFcDisk({ wwids: [odd] }).ok, false);
    assert.equal(toFcDisk({ targetWWNs: ['a'], lun: -1 }).ok, false);
  });

  it('has a directory that encodes its identity', () => {
    const disks = [
      { by: 'port', wwns: ['50060e80', '50060e81'], lun: 3 },
      { by: 'id', wwids: ['3600508b4'] },
    ] as const;
    assert.deepEqual(disks.map(toFcPlace), ['50060e80-50060e81-lun-3', '3600508b4']);
    for (const disk of disks) assert.deepEqual(parseFcPlace(toFcPlace(disk)), disk);
    for (const place of ['', '-lun-1', 'a-lun-b']) assert.equal(parseFcPlace(place), undefined);
  });

  it('has a unique name of lists as Go prints them', () => {
    assert.equal(toFcName({ targetWWNs: ['a', 'b'], lun: 1 }), '[a b]:1');
    assert.equal(toFcName({ wwids: ['a b'] }), '[a b]');
  });

  it('is recognised by the whole of a link’s name', () => {
    const disk = { by: 'port', wwns: ['500a'], lun: 1 } as const;
    const links: [link: string, leads: boolean][] = [
      ['fc-0x500a-lun-1', true],
      ['pci-0000:41:00.0-fc-0x500a-lun-1', true],
      ['pci-0000:41:00.0-fc-0x500a-lun-10', false],
      ['pci-0000:41:00.0-fc-0x500a-lun-1-part1', false],
      ['usb-fc-0x500a-lun-1', false],
    ];
    for (const [link, leads] of links) assert.equal(leadsToFcDisk(link, '500a', disk), leads, link);
    assert.ok(leadsToFcDisk('scsi-3600', '3600', { by: 'id', wwids: ['3600'] }));
    assert.ok(!leadsToFcDisk('scsi-3600-part1', '3600', { by: 'id', wwids: ['3600'] }));
  });
});
