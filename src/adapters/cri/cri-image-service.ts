/** The port ImageService on the runtime interface. Holds no state. */
import { AgentError, hasCode } from '../../base/errors.ts';
import type { RegistryCredential } from '../../core/image/registry-credential.ts';
import type { Image } from '../../gen/cri.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import type {
  ImageCallOptions,
  ImageFsUsage,
  ImageInfo,
  ImageService,
} from '../../ports/runtime/image-service.ts';
import { toPullError } from '../grpc/grpc-errors.ts';
import type { CriClient } from './cri-client.ts';
import { fromWireFilesystem, fromWireImage } from './from-wire.ts';
import type { ListCaller, ListVariants } from './list-caller.ts';
import { toWireCredential, toWireSandbox } from './to-wire.ts';

const IMAGES: ListVariants<'listImages', 'streamImages', Image> = {
  unary: 'listImages',
  itemsOf: (response) => response.images,
  streamed: 'streamImages',
  itemsOfMessage: (message) => message.images,
};

export class CriImageService implements ImageService {
  readonly #client: CriClient;
  readonly #lists: ListCaller;

  constructor(client: CriClient, lists: ListCaller) {
    this.#client = client;
    this.#lists = lists;
  }

  async imageStatus(image: string, options: ImageCallOptions = {}): Promise<ImageInfo | undefined> {
    const { sandboxConfig, runtimeHandler, ...rest } = options;
    const request = { image: { image, annotations: sandboxConfig?.annotations, runtimeHandler } };
    const response = await this.#client.call('imageStatus', request, rest);
    return response.image && fromWireImage(response.image);
  }

  async pullImage(
    image: string,
    options: ImageCallOptions & { readonly credential?: RegistryCredential } = {},
  ): Promise<string> {
    const { credential, sandboxConfig, runtimeHandler, ...rest } = options;
    const request = {
      image: { image, annotations: sandboxConfig?.annotations, runtimeHandler },
      auth: credential && toWireCredential(credential),
      sandboxConfig: sandboxConfig && toWireSandbox(sandboxConfig),
    };
    try {
      return (await this.#client.call('pullImage', request, rest)).imageRef;
    } catch (error) {
      throw error instanceof AgentError ? toPullError(error) : error;
    }
  }

  async listImages(options: RuntimeCallOptions = {}): Promise<ImageInfo[]> {
    return (await this.#lists.list(IMAGES, {}, options)).map(fromWireImage);
  }

  async removeImage(image: string, options?: RuntimeCallOptions): Promise<void> {
    try {
      await this.#client.call('removeImage', { image: { image } }, options);
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error;
    }
  }

  async imageFsInfo(
    options?: RuntimeCallOptions,
  ): Promise<{ images: ImageFsUsage[]; containers: ImageFsUsage[] }> {
    const response = await this.#client.call('imageFsInfo', {}, options);
    return {
      images: response.imageFilesystems.map(fromWireFilesystem),
      containers: response.containerFilesystems.map(fromWireFilesystem),
    };
  }
}
