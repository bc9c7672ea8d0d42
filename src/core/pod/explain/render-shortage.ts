/**
 * A refusal for lack of resources in words that a person can compare: `asks for 900Gi of memory, the node has
 * 22Gi, of which 1Gi is taken`. The messages of refusals are the API's and count bytes and thousandths.
 */

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const STEP = 1024;

/** Undefined for a message about something else. */
export function renderShortage(message: string): string | undefined {
  const whole = /resource: (\S+), requested: (\d+), used: (\d+), capacity: (\d+)/.exec(message);
  if (whole !== null) {
    const [, resource = '', requested, used, capacity] = whole;
    const [wants, taken, has] = [requested, used, capacity].map((text) =>
      renderAmount(resource, Number(text)),
    );
    return `it asks for ${wants} of ${resource}, the node has ${has}, of which ${taken} is taken`;
  }
  const assigned = renderUnassigned(message);
  if (assigned !== undefined) return assigned;
  const missing = [...message.matchAll(/\(res: ([^,\s]+), q: (\d+)\)/g)].map(
    ([, resource = '', amount]) => `${renderAmount(resource, Number(amount))} of ${resource}`,
  );
  return missing.length === 0
    ? undefined
    : `the node is short of ${missing.join(' and ')}, and no pod can make way`;
}

/** Of what only one container can have. */
function renderUnassigned(message: string): string | undefined {
  const cpus = /not enough cpus available to satisfy request: requested=(\d+), available=(\d+)/.exec(message);
  if (cpus !== null) return `it asks for ${cpus[1]} CPUs of its own, of which ${cpus[2]} can be given`;
  const devices = /devices unavailable for (\S+)\. Requested: (\d+), Available: (\d+)/.exec(message);
  if (devices === null) return undefined;
  return `it asks for ${devices[2]} of ${devices[1]}, of which ${devices[3]} can be given`;
}

function renderAmount(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (resource !== 'memory' && resource !== 'ephemeral-storage' && !resource.startsWith('hugepages-'))
    return String(amount);
  const power = amount < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(amount) / Math.log(STEP)));
  const value = amount / STEP ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${UNITS[power]}`;
}
