/** The sub-commands: their names and how each is used. One line here for each, one in run-cli.ts. */

export const VERBS = [
  'get',
  'describe',
  'explain',
  'logs',
  'events',
  'exec',
  'attach',
  'port-forward',
  'validate',
  'images',
  'resources',
  'top',
] as const;
export type Verb = (typeof VERBS)[number];

export const USAGES: Readonly<Record<Verb, string>> = {
  get: 'kubelet get pods|events|resources [POD] [-o wide|json|yaml|name] [-w] [-l SELECTOR] [-n NAMESPACE | -A]',
  describe: 'kubelet describe pod POD',
  explain: 'kubelet explain [POD | --eviction] [-o json|yaml]',
  logs: 'kubelet logs POD [-c CONTAINER] [-f] [--all-containers] [--prefix] [--tail N] [-p]',
  events: 'kubelet events [POD] [-w] [-o json|yaml]',
  exec: 'kubelet exec POD [-c CONTAINER] [-it] -- COMMAND [ARGUMENT...]',
  attach: 'kubelet attach POD [-c CONTAINER] [-it]',
  'port-forward': 'kubelet port-forward POD [LOCAL_PORT:]POD_PORT...',
  validate: 'kubelet validate -f FILE [FILE...]',
  images: 'kubelet images [--unused | --plan] [-o json|yaml]',
  resources: 'kubelet resources [-o json|yaml]',
  top: 'kubelet top pods|containers|node [POD] [-w] [-o wide|json|yaml] [--sort-by cpu|memory]',
};

export function isVerb(word: string | undefined): word is Verb {
  return (VERBS as readonly string[]).includes(word ?? '');
}

/** For the help of the program. */
export function renderVerbUsages(): string[] {
  return VERBS.map((verb) => USAGES[verb]);
}
