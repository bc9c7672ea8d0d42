/**
 * Checks of DNS-1123 names and qualified names, with the sentences the API
 * uses to say what is wrong. Each answers a list that is empty when the name
 * is good.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const QUALIFIED_PATTERN = new RegExp(`^${QUALIFIED}$`);

export const LABEL_MAX_LENGTH = 63;
export const SUBDOMAIN_MAX_LENGTH = 253;

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** What is wrong with a single label such as a hostname. */
export function findLabelProblems(text: string): string[] {
  const problems = lengthProblems(text, LABEL_MAX_LENGTH);
  if (!LABEL_PATTERN.test(text)) problems.push(patternProblem(LABEL_RULE, LABEL, 'my-name', '123-abc'));
  return problems;
}

/** What is wrong with a dotted name. */
export function findSubdomainProblems(text: string): string[] {
  const problems = lengthProblems(text, SUBDOMAIN_MAX_LENGTH);
  if (!SUBDOMAIN_PATTERN.test(text)) problems.push(patternProblem(SUBDOMAIN_RULE, SUBDOMAIN, 'example.com'));
  return problems;
}

/** What is wrong with a label or annotation key: an optional DNS prefix, a slash and a name. */
export function findQualifiedNameProblems(text: string): string[] {
  const [first = '', second, ...rest] = text.split('/');
  const rule = patternProblem(QUALIFIED_RULE, QUALIFIED, 'MyName', 'my.name', '123-abc');
  if (rest.length > 0) {
    return [
      `a qualified name ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === '') problems.push('prefix part must be non-empty');
    else problems.push(...findSubdomainProblems(first).map((problem) => `prefix part ${problem}`));
  }
  const name = second ?? first;
  if (name === '') problems.push('name part must be non-empty');
  problems.push(...lengthProblems(name, LABEL_MAX_LENGTH).map((problem) => `name part ${problem}`));
  if (!QUALIFIED_PATTERN.test(name)) problems.push(`name part ${rule}`);
  return problems;
}

function lengthProblems(text: string, limit: number): string[] {
  return text.length > limit ? [`must be no more than ${limit} characters`] : [];
}

function patternProblem(rule: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
