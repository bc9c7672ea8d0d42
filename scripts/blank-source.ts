/**
 * Blanks the parts of a TypeScript source that are not code, so that rules
 * can look for words without being fooled by comments and text. Newlines
 * stay, so line numbers hold. A scanner, not a parser: it distinguishes a
 * regular expression from a division by the token before it.
 */

export interface BlankedSource {
  /** Comments blanked; text kept: for import specifiers. */
  readonly withText: string;
  /** Comments and the inside of text and regular expressions blanked: for words of the language. */
  readonly codeOnly: string;
}

const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new))$/;

export function blankSource(source: string): BlankedSource {
  let withText = '';
  let codeOnly = '';
  /** Open `${` of template literals: how many braces are open inside each. */
  const templates: number[] = [];
  let at = 0;

  const keep = (length: number, isCode: boolean): void => {
    const part = source.slice(at, at + length);
    withText += part;
    codeOnly += isCode ? part : blank(part);
    at += length;
  };
  const skip = (length: number): void => {
    const spaces = blank(source.slice(at, at + length));
    withText += spaces;
    codeOnly += spaces;
    at += length;
  };
  /** The text part of a template literal, up to its end or the next `${`. */
  const template = (): void => {
    const text = /^(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/.exec(source.slice(at))?.[0] ?? '';
    keep(text.length, false);
    if (source[at] === '`') keep(1, true);
    else if (at < source.length) {
      keep(2, true);
      templates.push(0);
    }
  };

  while (at < source.length) {
    const rest = source.slice(at, at + 2);
    const char = source[at] ?? '';
    if (rest === '//') skip(lengthOf(/^[^\n]*/, source, at));
    else if (rest === '/*') skip(lengthOf(/^\/\*[\s\S]*?(?:\*\/|$)/, source, at));
    else if (char === "'" || char === '"') keep(lengthOf(stringPattern(char), source, at), false);
    else if (char === '`') {
      keep(1, true);
      template();
    } else if (char === '/' && BEFORE_REGEX.test(codeOnly.slice(-200).trimEnd()))
      keep(Math.max(1, lengthOf(/^\/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\[])+\/\w*/, source, at)), false);
    else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      keep(1, true);
      template();
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && (char === '{' || char === '}'))
        templates[depth] = (templates[depth] ?? 0) + (char === '{' ? 1 : -1);
      keep(1, true);
    }
  }
  return { withText, codeOnly };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function stringPattern(quote: string): RegExp {
  return quote === "'" ? /^'(?:\\[\s\S]|[^'\\\n])*'?/ : /^"(?:\\[\s\S]|[^"\\\n])*"?/;
}

function lengthOf(pattern: RegExp, source: string, at: number): number {
  return pattern.exec(source.slice(at))?.[0].length ?? 0;
}
