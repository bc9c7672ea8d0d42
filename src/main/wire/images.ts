/** Images: the runtime's image service, and the programs that know registry credentials. */
import { homedir } from 'node:os';
import type { CriConnection } from '../../adapters/cri/connect-cri.ts';
import { ApiServiceAccountReader } from '../../adapters/kube/objects/service-account-reader.ts';
import { CredentialPluginRunner } from '../../adapters/linux/program/credential-plugin-runner.ts';
import type { ImagePorts } from '../../agent/agent-ports.ts';
import type { CredentialPluginPorts, ImageSettings } from '../../agent/image/assemble-images.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import type { Meters } from '../metrics/meters.ts';
import { toImageSettings } from '../settings/image-settings.ts';
import { type LoadedProviders, loadCredentialProviders } from '../settings/load-credential-providers.ts';
import type { ClusterConnection } from './cluster.ts';
import type { Foundation } from './foundation.ts';

/** Undefined when none are configured. Rejects with AgentError when the configuration of the programs is wrong. */
export function loadCredentialPlugins({ loaded }: Foundation): Promise<LoadedProviders | undefined> {
  const { flags, features } = loaded;
  return loadCredentialProviders({
    configPath: flags.imageCredentialProviderConfig,
    binDir: flags.imageCredentialProviderBinDir,
    allowTokens: features.enabled('KubeletServiceAccountTokenForCredentialProviders'),
  });
}

export function wireImages(
  foundation: Foundation,
  { images }: CriConnection,
  plugins: LoadedProviders | undefined,
  connection: ClusterConnection | undefined,
  meters: Meters,
): ImagePorts {
  if (plugins !== undefined) meters.images.describePlugins(plugins.configHash);
  return {
    images: meters.calls.images(images),
    credentialPlugins: wirePlugins(foundation, plugins, connection),
    imageMeter: meters.images,
  };
}

export function readImageSettings(loaded: LoadedConfiguration, rootDir: string): ImageSettings {
  return toImageSettings(loaded, { rootDir, workingDirectory: process.cwd(), home: homedir() });
}

function wirePlugins(
  { loaded, clock }: Foundation,
  loadedPlugins: LoadedProviders | undefined,
  connection: ClusterConnection | undefined,
): CredentialPluginPorts | undefined {
  const providers = loadedPlugins?.providers ?? [];
  if (providers.length === 0) return undefined;
  const directory = loaded.flags.imageCredentialProviderBinDir;
  return {
    providers,
    plugins: new CredentialPluginRunner({ directory, clock, environment: process.env }),
    accounts: connection === undefined ? undefined : new ApiServiceAccountReader(connection.client.api),
  };
}
