/** What `/metrics/cadvisor` answers; loaded with the first request. */
import type { DetailsReading } from '../../core/stats/series/details-reading.ts';
import { toErrorFamily, toMachineFamilies, toVersionFamily } from '../../core/stats/series/machine-series.ts';
import { metricsHeaders, renderMetrics } from '../debug/metrics-text.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { SeriesWriter } from './series-text.ts';

/** What could not be read is a metric too. */
export function toFailedReply(): HttpReply {
  const families = [toErrorFamily('container', true), toErrorFamily('machine', true)];
  return { status: 200, headers: metricsHeaders(), body: renderMetrics(families) };
}

export function toDetailsReply({ series, machine, families }: DetailsReading): HttpReply {
  return {
    status: 200,
    headers: metricsHeaders(),
    body: '',
    stream: async (sink) => {
      const writer = new SeriesWriter(sink);
      await writer.writeText(renderMetrics([toVersionFamily(machine)]));
      if (families === undefined) await writer.writeSeries(series);
      else await writer.writeText(renderMetrics(families));
      await writer.writeText(
        renderMetrics([toErrorFamily('container', false), ...toMachineFamilies(machine)]),
      );
      await writer.end();
    },
  };
}
