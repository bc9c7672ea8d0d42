/** The RuntimeClasses of the cluster: which handler of the runtime a pod wants. Never rejects. */
export type HandlerLookup =
  | { readonly kind: 'found'; readonly handler: string }
  /** `message` in the words users know. */
  | { readonly kind: 'failed'; readonly message: string };

export interface RuntimeClasses {
  handler(name: string, signal?: AbortSignal): Promise<HandlerLookup>;
}

/** Standalone every pod gets the handler of the runtime itself. */
export const noRuntimeClasses: RuntimeClasses = {
  handler: async () => ({ kind: 'found', handler: '' }),
};
