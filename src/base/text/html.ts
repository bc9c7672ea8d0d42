/**
 * HTML by a tagged template that escapes every value: text of others cannot become markup, because there is no other
 * way to put it in. Values stand between tags or in quoted attributes; anything else is a bug and throws.
 */

/** Markup that was made by `html`; nothing else can make one. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static build(strings: readonly string[], values: readonly HtmlValue[]): Html {
    let text = strings[0] ?? '';
    for (const [index, value] of values.entries()) {
      // Without quotes a space would begin another attribute. What a value ends with does not count: it is text.
      if (strings[index]?.endsWith('=')) throw new Error('a value of an attribute needs quotes');
      text += render(value) + (strings[index + 1] ?? '');
    }
    return new Html(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** Nothing is shown for undefined and false. */
export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.build(strings, values);
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return escapeHtml(value);
  if (value === undefined || value === false) return '';
  return typeof value === 'number' ? String(value) : value.map(render).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
/** Controls but line ends and tabs, halves of characters, marks that turn the direction of reading. */
const UNSHOWN = /(?![\t\n])\p{Cc}|\p{Cs}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (letter) => ENTITIES[letter] ?? '').replace(UNSHOWN, '\ufffd');
}
