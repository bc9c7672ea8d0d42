/**
 * Completions for shells, from the tables of commands and flags. Names of pods are asked of the kubelet when they are
 * wanted; only such as a pod can have are used, because a shell would expand others. Pure.
 */

import { ALL_FLAGS } from '../flag-table.ts';
import { type CliFlag, flagsOf } from './cli-flags.ts';
import { VERBS, type Verb, type VerbEntry, verbEntry } from './cli-verbs.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const RENDERERS: Readonly<Record<Shell, () => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export function renderCompletion(shell: Shell): string {
  return RENDERERS[shell]();
}

function renderBash(): string {
  const cases = VERBS.map((verb) => {
    const flags = flagsOf(verb).flatMap(spell).join(' ');
    return `    ${verb}) flags='${flags}' ${bashWords(verbEntry(verb))} ;;`;
  });
  return `# bash completion of kubelet. Load with: source <(kubelet completion bash)
_kubelet_pods() {
  local name
  while IFS= read -r name; do
    name=\${name#pod/}
    [[ $name =~ ^[a-z0-9.-]+$ ]] && printf '%s\\n' "$name"
  done < <(kubelet get pods -A -o name 2>/dev/null)
}
_kubelet() {
  local current=\${COMP_WORDS[COMP_CWORD]} verb= flags= words= pods= files= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${VERBS.join(' | ')}) verb=$word; break ;;
    esac
  done
  case $verb in
    '') flags='${agentFlags().join(' ')}' words='${VERBS.join(' ')} help version' ;;
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    return
  fi
  if [[ -n $files ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  [[ -n $pods ]] && words="$words $(_kubelet_pods)"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -F _kubelet kubelet
`;
}

function bashWords({ words }: VerbEntry): string {
  if (words === 'pods') return 'pods=1';
  if (words === 'files') return 'files=1';
  return words === 'none' ? '' : `words='${words.join(' ')}'`;
}

function renderZsh(): string {
  const verbs = VERBS.map((verb) => `    ${quote(`${verb}:${verbEntry(verb).about}`)}`);
  const cases = VERBS.map((verb) => {
    const flags = flagsOf(verb).map(zshFlag).join(' ');
    return `    ${verb}) _arguments ${flags} ${quote(`*:word:${zshWords(verbEntry(verb))}`)} ;;`;
  });
  return `#compdef kubelet
# zsh completion of kubelet. Install as _kubelet in a directory of $fpath.
_kubelet_pods() {
  local -a names
  names=(\${(f)"$(kubelet get pods -A -o name 2>/dev/null)"})
  names=(\${\${names#pod/}:#*[^a-z0-9.-]*})
  compadd -a names
}
_kubelet() {
  local -a verbs
  verbs=(
${verbs.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command verbs
    [[ $words[2] == -* ]] && compadd -- ${agentFlags().join(' ')}
    return
  fi
  local verb=$words[2]
  shift words; (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _kubelet ]]; then _kubelet "$@"; else compdef _kubelet kubelet; fi
`;
}

function zshFlag({ name, short, takesValue, about }: CliFlag): string {
  const text = about.replaceAll(/[[\]:]/g, '\\$&');
  const value = takesValue ? ':value:' : '';
  const long = quote(`--${name}${takesValue ? '=' : ''}[${text}]${value}`);
  return short === undefined ? long : `${long} ${quote(`-${short}[${text}]${value}`)}`;
}

function zshWords({ words }: VerbEntry): string {
  if (words === 'pods') return '_kubelet_pods';
  if (words === 'files') return '_files';
  return words === 'none' ? '' : `(${words.join(' ')})`;
}

function renderFish(): string {
  const seen = (verb: Verb): string => `-n '__fish_seen_subcommand_from ${verb}'`;
  const verbs = VERBS.map((verb) => {
    const about = quote(verbEntry(verb).about);
    return `complete -c kubelet -f -n __fish_use_subcommand -a ${verb} -d ${about}`;
  });
  const words = VERBS.flatMap((verb) => {
    const { words: choices } = verbEntry(verb);
    if (choices === 'none') return [];
    if (choices === 'files') return [`complete -c kubelet ${seen(verb)} -F`];
    const what = choices === 'pods' ? '(__kubelet_pods)' : choices.join(' ');
    return [`complete -c kubelet -f ${seen(verb)} -a ${quote(what)}`];
  });
  const flags = VERBS.flatMap((verb) =>
    flagsOf(verb).map(({ name, short, takesValue, about }) => {
      const letter = short === undefined ? '' : ` -s ${short}`;
      return `complete -c kubelet ${seen(verb)} -l ${name}${letter}${takesValue ? ' -r' : ''} -d ${quote(about)}`;
    }),
  );
  return `# fish completion of kubelet. Load with: kubelet completion fish | source
function __kubelet_pods
    kubelet get pods -A -o name 2>/dev/null | string replace -r '^pod/' '' | string match -r '^[a-z0-9.-]+$'
end
${[...verbs, ...words, ...flags].join('\n')}
`;
}

function spell({ name, short }: CliFlag): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** The flags of the agent itself that are not deprecated. */
function agentFlags(): string[] {
  return ALL_FLAGS.filter(
    ({ deprecated, target }) => deprecated === undefined && target.kind !== 'ignored',
  ).map(({ name }) => `--${name}`);
}

/** For all three shells: the texts of the tables hold no single quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
