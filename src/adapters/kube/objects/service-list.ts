/**
 * The services of the cluster, kept current for the variables with their
 * addresses. Only what those are made from is kept: a node has no
 * other use for a service, and there may be thousands.
 */
import type { ServiceLike } from '../../../core/model/environment-objects.ts';
import { SERVICES } from '../../../ports/cluster/api-resource.ts';
import type { ApiServer } from '../../../ports/cluster/api-server.ts';
import { FollowedList } from '../../../ports/cluster/followed-list.ts';
import type { ListWatch, ListWatchHealth } from '../../../ports/cluster/list-watch.ts';

export interface ServiceListSettings {
  readonly api: Pick<ApiServer, 'follow'>;
  /** Those of an earlier run, when they are to serve until others are read. */
  readonly readRemembered?: () => readonly ServiceLike[] | undefined;
  /** They are others than before. */
  readonly onChange?: () => void;
}

export class ServiceList {
  readonly #settings: ServiceListSettings;
  readonly #watch: ListWatch<ServiceLike>;
  readonly #services: FollowedList<ServiceLike>;

  constructor(settings: ServiceListSettings) {
    this.#settings = settings;
    this.#watch = settings.api.follow<ServiceLike>({ resource: SERVICES });
    this.#services = new FollowedList({ watch: this.#watch, toKept });
  }

  /** Undefined until they were read once. */
  services(): readonly ServiceLike[] | undefined {
    return this.#services.isSynced ? this.#services.values() : this.#settings.readRemembered?.();
  }

  health(): ListWatchHealth {
    return this.#watch.health();
  }

  async run(stop: AbortSignal): Promise<void> {
    using _listening = this.#services.subscribe(() => this.#settings.onChange?.());
    await this.#services.run(stop);
  }
}

/** Without an address a service has no variables. */
function toKept({ metadata, spec }: ServiceLike): ServiceLike | undefined {
  const { clusterIP, ports = [] } = spec;
  if (!clusterIP || clusterIP === 'None') return undefined;
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace },
    spec: {
      clusterIP,
      ports: ports.map(({ name, port, protocol }) => ({
        port,
        ...(name === undefined ? {} : { name }),
        ...(protocol === undefined ? {} : { protocol }),
      })),
    },
  };
}
