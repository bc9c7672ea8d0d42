/** The images of the node as the sub-commands show them. */
import type { ImageFileSystem, SpacePlan } from '../../core/collection/image-collection.ts';
import type { ImageRecord } from '../../core/collection/image-record.ts';

/** What a collection at this moment would do. */
export interface ImageReport {
  readonly images: readonly ImageRecord[];
  /** Undefined when it cannot be read. */
  readonly fileSystem: ImageFileSystem | undefined;
  readonly space: SpacePlan | undefined;
  /** Identities, in the order in which they would go. */
  readonly wouldRemove: readonly string[];
}

export interface ImageReporter {
  /** Looks at the runtime now. Rejects with AgentError. */
  report(signal: AbortSignal): Promise<ImageReport>;
}
