/**
 * The frame of every page: landmarks, the way between pages and languages, and where updates come from. In parts, so
 * that a browser shows the top while what the page is about is still being gathered. The script, which the first look
 * does not need, is asked for at the end.
 */
import { type Html, html } from '../../../base/text/html.ts';
import { STYLE } from '../asset/style.ts';
import { TEXTS } from '../text/choose-text.ts';
import type { ViewContext } from './view-context.ts';

export interface PageFrame {
  readonly nodeName: string;
  /** The parts of the path below the first. */
  readonly path: readonly string[];
  /** What is asked for beside the path, such as a container; without the language. */
  readonly query: Readonly<Record<string, string>>;
}

/** To the beginning of the content. */
export function renderTop(frame: PageFrame, context: ViewContext): Html {
  const { text, links, nowMs } = context;
  const { layout } = text;
  const live = links.to(['live'], { ...frame.query, view: frame.path.join('/') });
  return html`<!doctype html>
<html lang="${text.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${frame.nodeName} &ndash; kubelet</title>
<link rel="icon" href="data:,">
${STYLE}
</head>
<body data-live="${live}" data-now="${Math.round(nowMs)}">
<a class="skip" href="#content">${layout.skip}</a>
<header>
<h1><a href="${links.to([])}">${frame.nodeName}</a></h1>
${renderNavigation(frame, context)}
<p id="live-state" role="status" data-live-words="${layout.live}" data-lost-words="${layout.lost}">${layout.connecting}</p>
</header>
<main id="content" tabindex="-1">
`;
}

/** Where a browser asks for the mark. */
export const MARK_PATH = 'drawn.svg';

/**
 * A picture of nothing that a browser asks for once what stands above it is drawn; `name` says of which page. It is
 * part of no section, so the first update removes it.
 */
export function renderMark(name: string, { links }: ViewContext): Html {
  return html`<img class="mark" src="${links.to([MARK_PATH], { page: name })}" alt="" loading="lazy">\n`;
}

/** After the content. */
export function renderEnd(frame: PageFrame, context: ViewContext): Html {
  const { text, links } = context;
  return html`</main>
<footer>
<p>${text.layout.readOnly}</p>
${renderLanguages(frame, context)}
</footer>
<script src="${links.to(['script.js'])}" defer></script>
</body>
</html>
`;
}

function renderNavigation({ path }: PageFrame, { text, links }: ViewContext): Html {
  const entries: readonly (readonly [string, string])[] = [
    ['', text.layout.overview],
    ['events', text.events.title],
    ['images', text.images.title],
    ['volumes', text.volumes.title],
  ];
  const items = entries.map(([name, title]) => {
    const current = (path[0] ?? '') === name ? html` aria-current="page"` : '';
    return html`<li><a href="${links.to(name === '' ? [] : [name])}"${current}>${title}</a></li>`;
  });
  return html`<nav aria-label="${text.layout.navigation}"><ul>${items}</ul></nav>`;
}

/** Each by its own name, in its own language. */
function renderLanguages({ path, query }: PageFrame, { text, links }: ViewContext): Html {
  const items = TEXTS.map(({ lang, languageName }) => {
    const current = lang === text.lang ? html` aria-current="true"` : '';
    const href = links.inLanguage(path, query, lang);
    return html`<li><a href="${href}" lang="${lang}" hreflang="${lang}"${current}>${languageName}</a></li>`;
  });
  return html`<nav aria-label="${text.layout.languages}"><ul>${items}</ul></nav>`;
}
