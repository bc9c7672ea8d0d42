/** Wires everything that has to do with getting images. It only connects. */
import type { CredentialProvider } from '../../core/image/credential-provider.ts';
import type { VerificationSettings } from '../../core/image/decide-image-access.ts';
import { noServiceAccounts, type ServiceAccountReader } from '../../ports/cluster/service-account-reader.ts';
import { noTokens, type TokenSource } from '../../ports/cluster/token-source.ts';
import { type ImageMeter, noImageMeter } from '../../ports/image-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type { CredentialPlugins } from '../../ports/runtime/credential-plugins.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import { CredentialProviders } from './credential-providers.ts';
import { ImageCredentials, type ImageCredentialsParts } from './image-credentials.ts';
import { ImagePuller } from './image-puller.ts';
import { type DockerConfigDirectories, NodeDockerConfig } from './node-docker-config.ts';
import { PullRecords, type PullRecordsParts } from './pull-records.ts';
import type { PullLimits } from './shared-pulls.ts';

export interface ImageSettings extends PullLimits {
  /** Who may use an image that is there; every pod when absent. */
  readonly verification?: VerificationSettings;
  /** Where the node's own registry credentials are; nowhere when absent. */
  readonly dockerConfigDirectories?: DockerConfigDirectories;
}

/** The operator's credential plugins, and what they may learn about pods. */
export interface CredentialPluginPorts {
  readonly providers: readonly CredentialProvider[];
  readonly plugins: CredentialPlugins;
  readonly accounts?: ServiceAccountReader | undefined;
}

export interface ImageAssemblyPorts
  extends Pick<ImageCredentialsParts, 'objects'>,
    Pick<PullRecordsParts, 'files'> {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events'>;
  readonly images: ImageService;
  readonly tokens?: TokenSource;
  readonly credentialPlugins?: CredentialPluginPorts | undefined;
  readonly imageMeter?: ImageMeter;
}

export interface ImageParts {
  readonly puller: ImagePuller;
  /** What is remembered of pulls; it forgets images that are collected. */
  readonly records: PullRecords;
  /** Before the first pull. Never rejects. */
  load(stop: AbortSignal): Promise<void>;
}

const NO_DIRECTORIES: DockerConfigDirectories = { json: [], legacy: [] };
const NO_PLUGINS: CredentialPluginPorts = { providers: [], plugins: { run: async () => '' } };

export function assembleImages(
  ports: ImageAssemblyPorts,
  settings: ImageSettings,
  rootDir: string,
): ImageParts {
  const { kit, images, tokens = noTokens, imageMeter: meter = noImageMeter } = ports;
  const { verification, dockerConfigDirectories } = settings;
  const { providers, plugins, accounts = noServiceAccounts } = ports.credentialPlugins ?? NO_PLUGINS;
  const records = new PullRecords({
    ...kit,
    ...ports,
    rootDir,
    meter,
    listImages: (stop) => images.listImages({ label: 'records of pulls', signal: stop }),
  });
  const credentials = new ImageCredentials({
    ...kit,
    ...ports,
    tokens,
    nodeConfig: new NodeDockerConfig({
      ...kit,
      ...ports,
      directories: dockerConfigDirectories ?? NO_DIRECTORIES,
    }),
    providers: new CredentialProviders({ ...kit, providers, plugins, tokens, accounts, meter }),
  });
  const puller = new ImagePuller({
    kit,
    images,
    meter,
    credentials,
    verification: verification && { records, settings: verification },
    limits: settings,
  });
  const load = async (stop: AbortSignal): Promise<void> => {
    if (verification !== undefined) await records.load(stop);
  };
  return { puller, records, load };
}
