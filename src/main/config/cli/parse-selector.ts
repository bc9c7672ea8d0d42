/** `-l` of kubectl: `app=web,tier!=db,canary,!old`. Pure. */
import type { LabelSelector } from '../../../core/api/label-selector.ts';

const TERM =
  /^(?<not>!)?(?<key>[A-Za-z0-9][-A-Za-z0-9_./]*)(?:(?<operator>==|=|!=)(?<value>[-A-Za-z0-9_.]*))?$/;

/** Undefined when it cannot be read. */
export function parseSelector(text: string): LabelSelector | undefined {
  const expressions = text.split(',').map((term) => {
    const { not, key = '', operator, value = '' } = TERM.exec(term.trim())?.groups ?? {};
    if (key === '' || (not !== undefined && operator !== undefined)) return undefined;
    if (operator === undefined)
      return { key, operator: not === undefined ? 'Exists' : 'DoesNotExist' } as const;
    return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] } as const;
  });
  const matchExpressions = expressions.filter((one) => one !== undefined);
  return matchExpressions.length === expressions.length ? { matchExpressions } : undefined;
}
