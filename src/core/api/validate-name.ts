/**
 * The kinds of names Kubernetes accepts, and what it says when a name is not one. Each function answers why
 * `value` is wrong, or nothing.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;

/** Why `value` is no DNS-1123 label: names of containers, volumes, namespaces. */
export function* labelFaults(value: string): Generator<string> {
  if (value.length > 63) yield 'must be no more than 63 characters';
  if (!matches(LABEL, value)) {
    yield `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
  }
}

/** Why `value` is no DNS-1123 subdomain: names of pods and most objects. */
export function* subdomainFaults(value: string): Generator<string> {
  if (value.length > 253) yield 'must be no more than 253 characters';
  if (!matches(SUBDOMAIN, value)) {
    yield `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
  }
}

/** True for what a pod, a namespace and most objects may be called: also safe as a part of a path. */
export function isObjectName(value: string): boolean {
  return subdomainFaults(value).next().done === true;
}

/** Why `value` is no key of a label or annotation: `[prefix/]name`. */
export function* qualifiedNameFaults(value: string): Generator<string> {
  const parts = value.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) {
    yield `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
    return;
  }
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') yield 'prefix part must be non-empty';
    else for (const why of subdomainFaults(prefix)) yield `prefix part ${why}`;
  }
  if (name === '') yield 'name part must be non-empty';
  else if (name.length > 63) yield 'name part must be no more than 63 characters';
  if (name !== '' && !matches(QUALIFIED, name)) {
    yield `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;
  }
}

/** Why `value` is no value of a label. */
export function* labelValueFaults(value: string): Generator<string> {
  if (value.length > 63) yield 'must be no more than 63 bytes';
  if (!matches(LABEL_VALUE, value)) {
    yield `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;
  }
}

/** Why `value` is no name of a port. */
export function* portNameFaults(value: string): Generator<string> {
  if (value.length > 15) yield 'must be no more than 15 characters';
  if (!matches('[-a-z0-9]+', value)) {
    yield 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)';
  }
  if (!/[a-z]/.test(value)) yield 'must contain at least one letter (a-z)';
  if (value.includes('--')) yield 'must not contain consecutive hyphens';
  if (value.startsWith('-') || value.endsWith('-')) yield 'must not begin or end with a hyphen';
}

/** Why `value` is no name of an environment variable. */
export function* variableNameFaults(value: string): Generator<string> {
  if (!matches('[ -<>-~]+', value)) {
    yield "a valid environment variable name must consist only of printable ASCII characters other than '='";
  }
}

/** Why `value` is no domain to search names in; `_` and a dot at either end are common there. */
export function* searchDomainFaults(value: string): Generator<string> {
  const part = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
  const domain = value === '.' ? '' : value.replace(/\.$/, '');
  if (domain !== '' && !matches(`${part}(\\.${part})*`, domain)) {
    yield "must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  }
}

/** Why `value` is no relative path that stays below where it starts. */
export function* descendingPathFaults(value: string): Generator<string> {
  if (value.startsWith('/')) yield 'must be a relative path';
  if (value.split('/').includes('..')) yield "must not contain '..'";
}

/** True for an IPv4 or IPv6 address. */
export function isIpAddress(value: string): boolean {
  if (/^\d+(\.\d+){3}$/.test(value)) {
    return value.split('.').every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
  }
  if (!value.includes(':')) return false;
  // The URL parser knows the grammar of IPv6; it accepts nothing else in brackets.
  return /^[0-9a-fA-F:.]+$/.test(value) && URL.canParse(`http://[${value}]/`);
}

function matches(pattern: string, value: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(value);
}
