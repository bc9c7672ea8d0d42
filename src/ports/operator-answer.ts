/** The answer to an operator who asked for a retry or a restart: what was done to what, or why nothing was. */
export type OperatorAnswer =
  | { readonly ok: true; readonly subjects: readonly string[] }
  | { readonly ok: false; readonly problem: string };
