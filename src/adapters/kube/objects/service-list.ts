/**
 * The services of the cluster, kept current for the variables that tell
 * containers of them. Only what those are made from is kept: a node has no
 * other use for a service, and there may be thousands.
 */
import type { ServiceLike } from '../../../core/model/environment-objects.ts';
import { SERVICES } from '../../../ports/api-resource.ts';
import type { ApiServer } from '../../../ports/api-server.ts';
import type { ListWatch, ListWatchHealth } from '../../../ports/list-watch.ts';

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
  readonly #services = new Map<string, ServiceLike>();
  #list: readonly ServiceLike[] | undefined;
  #synced = false;

  constructor(settings: ServiceListSettings) {
    this.#settings = settings;
    this.#watch = settings.api.follow<ServiceLike>({ resource: SERVICES });
  }

  /** Undefined until they were read once. */
  services(): readonly ServiceLike[] | undefined {
    if (!this.#synced) return this.#settings.readRemembered?.();
    this.#list ??= [...this.#services.values()];
    return this.#list;
  }

  health(): ListWatchHealth {
    return this.#watch.health();
  }

  async run(stop: AbortSignal): Promise<void> {
    await this.#watch.run(stop, {
      onReplace: (services) => {
        this.#services.clear();
        for (const service of services) this.#take(service);
        this.#list = undefined;
        this.#synced = true;
        this.#settings.onChange?.();
      },
      onEvent: (type, service) => {
        if (type === 'DELETED') this.#services.delete(keyOf(service));
        else this.#take(service);
        this.#list = undefined;
        this.#settings.onChange?.();
      },
    });
  }

  #take(service: ServiceLike): void {
    const { clusterIP } = service.spec;
    // Without an address it has no variables, and it may have lost one.
    if (!clusterIP || clusterIP === 'None') this.#services.delete(keyOf(service));
    else this.#services.set(keyOf(service), toKept(service));
  }
}

function toKept({ metadata, spec }: ServiceLike): ServiceLike {
  const { clusterIP = '', ports = [] } = spec;
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

function keyOf({ metadata }: ServiceLike): string {
  return `${metadata.namespace}/${metadata.name}`;
}
