/** `/debug/flags/v`: how much the agent logs, changed while it runs. */
import { type HttpReply, type HttpRequest, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

const MAX_LEVEL = 2 ** 31 - 1;

export function toVerbosityRoute(setVerbosity: (level: number) => void): Route {
  return { path: '/debug/flags/v', methods: 'any', handle: (request) => reply(request, setVerbosity) };
}

function reply({ method, body }: HttpRequest, setVerbosity: (level: number) => void): HttpReply {
  if (method !== 'PUT') return toTextReply(406, 'unsupported http method\n');
  const text = Buffer.from(body).toString();
  const level = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(level <= MAX_LEVEL))
    return toTextReply(400, `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax\n`);
  setVerbosity(level);
  return toTextReply(200, `successfully set klog.logging.verbosity to ${text}\n`);
}
