/** Systemd as an object of the message bus, and how it names its units there. Pure. */
import type { BusObject } from './system-bus.ts';

export const SYSTEMD: BusObject = {
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};

export function toUnitObject(unit: string): BusObject {
  return {
    destination: SYSTEMD.destination,
    path: `${SYSTEMD.path}/unit/${escapeName(unit)}`,
    interface: 'org.freedesktop.systemd1.Unit',
  };
}

/** Every byte except letters and digits, and a digit at the beginning, as `_` and two hexadecimal digits. */
function escapeName(name: string): string {
  return [...Buffer.from(name)]
    .map((byte, index) => {
      const sign = String.fromCharCode(byte);
      const isPlain = index === 0 ? /[A-Za-z]/.test(sign) : /[A-Za-z0-9]/.test(sign);
      return isPlain ? sign : `_${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}
