/**
 * A point in time the way the dump of a pod shows it: nanoseconds, seconds since the year 1, and the node's
 * whole time zone. A manifest seldom carries one. The node is taken to live in UTC, as `/etc/localtime` says
 * on most servers; in another zone the upstream kubelet's dump, hence the UID, differs.
 */

const SECONDS_FROM_YEAR_1_TO_1970 = 62_135_596_800;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

const FIRST = '-9223372036854775808';
const UTC = '{name:(string)UTC offset:(int)0 isDST:(bool)false}';
const ZONE =
  `{name:(string)Local zone:([]time.zone)[${UTC}]` +
  ` tx:([]time.zoneTrans)[{when:(int64)${FIRST} index:(uint8)0 isstd:(bool)false isutc:(bool)false}]` +
  ` extend:(string)UTC0 cacheStart:(int64)${FIRST} cacheEnd:(int64)9223372036854775807 cacheZone:(*time.zone)${UTC}}`;

export interface DumpedTime {
  readonly text: string;
  /** False for no time, which has no zone. */
  readonly hasZone: boolean;
}

/** `value` as an RFC 3339 time; anything else is no time. Without `showsZone` the zone counts as shown before. */
export function dumpTime(value: unknown, showsZone: boolean): DumpedTime {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  const at = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  if (match === null || Number.isNaN(at)) return { text: render('0', 0, '<nil>'), hasZone: false };
  const nanos = (match[2] ?? '')
    .padEnd(9, '0')
    .slice(0, 9)
    .replace(/^0+(?=\d)/, '');
  const zone = showsZone ? ZONE : '<shown>';
  return { text: render(nanos, at / 1000 + SECONDS_FROM_YEAR_1_TO_1970, zone), hasZone: true };
}

function render(nanos: string, seconds: number, zone: string): string {
  return `{Time:(time.Time){wall:(uint64)${nanos} ext:(int64)${seconds} loc:(*time.Location)${zone}}}`;
}
