/**
 * `$(NAME)` references in commands, arguments, variables and sub-path
 * expressions. One pass from left to right: what a reference yields is never
 * expanded again, and the time taken is linear, because the text is user
 * input.
 */

/**
 * Replaces references by their values. A name is everything up to the next
 * `)`; an unknown one stays literal, `$$` becomes `$`, an unclosed `$(` and a
 * lone `$` stay as they are.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  let expanded = '';
  let position = 0;
  for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', position)) {
    expanded += text.slice(position, dollar);
    const next = text[dollar + 1];
    if (next === '(') {
      const close = text.indexOf(')', dollar + 2);
      // Without a `)` ahead no later reference can be closed either: only `$$` is left to do.
      if (close < 0) return expanded + text.slice(dollar).replaceAll('$$', () => '$');
      expanded += lookup(text.slice(dollar + 2, close)) ?? text.slice(dollar, close + 1);
      position = close + 1;
    } else {
      expanded += next === '$' ? '$' : `$${next ?? ''}`;
      position = dollar + 2;
    }
  }
  return expanded + text.slice(position);
}
