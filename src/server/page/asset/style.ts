/**
 * The style of the page, which comes with it: the first paint waits for no second answer. Colours go with those of the
 * system; states have a sign beside their colour, written as CSS escapes it: the bundle is ASCII.
 */
import { createHash } from 'node:crypto';
import { type Html, html } from '../../../base/text/html.ts';

export const STYLE: Html = html`<style>
:root {
  --ground: #fbfbfa; --card: #ffffff; --text: #1c1f23; --quiet: #565d66; --line: #dcdfe3; --link: #0b57a4;
  --good: #1a6e33; --done: #565d66; --busy: #0b57a4; --warn: #8a5a00; --bad: #b3261e; --shade: #f1f3f5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1c2024; --text: #e7e9ec; --quiet: #a7afb8; --line: #343a41; --link: #82b8f5;
    --good: #6fd08c; --done: #a7afb8; --busy: #82b8f5; --warn: #f0b849; --bad: #ff8f86; --shade: #23282d;
  }
}
* { box-sizing: border-box; }
/* From the first look on: a scrollbar that comes with the rest would move what is shown. */
html { overflow-y: scroll; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
header, main, footer { max-width: 75rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.5rem; padding-top: 0.75rem; }
h1 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h1 a { color: inherit; text-decoration: none; }
h2 { font-size: 1rem; margin: 0 0 0.6rem; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: 0.3rem 0; }
nav a[aria-current] { color: var(--text); text-decoration: none; border-bottom: 2px solid currentColor; }
a { color: var(--link); }
a:focus-visible, [tabindex]:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
#content:focus { outline: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--card); padding: 0.5rem; z-index: 1; }
#live-state { margin: 0 0 0 auto; color: var(--quiet); font-size: 0.85rem; }
#live-state::before { content: "\\25cf  "; color: var(--warn); }
#live-state.live::before { color: var(--good); }
/* With a size, as without one it would have no place on the screen. */
.mark { position: absolute; width: 1px; height: 1px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1rem; margin: 0.9rem 0; }
p { margin: 0.4rem 0; }
table { width: 100%; border-collapse: collapse; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th { text-align: left; font-size: 0.8rem; font-weight: 600; color: var(--quiet); padding: 0.25rem 0.5rem; white-space: nowrap; }
td { padding: 0.35rem 0.5rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th:first-child, td:first-child { padding-left: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th.number { text-align: right; }
small { color: var(--quiet); font-size: 0.85em; }
#pods tbody td:first-child { width: 26%; min-width: 7rem; }
tr.why td { border-top: 0; padding: 0 0 0.6rem 1.2rem; color: var(--quiet); }
p.why { padding: 0.5rem 0.75rem; background: var(--shade); border-left: 3px solid var(--warn); }
.state::before { display: inline-block; width: 1.2em; }
.state.good { color: var(--good); } .state.good::before { content: "\\2713"; }
.state.done { color: var(--done); } .state.done::before { content: "\\b7"; }
.state.busy { color: var(--busy); } .state.busy::before { content: "\\2026"; }
.state.warn { color: var(--warn); } .state.warn::before { content: "!"; }
.state.bad { color: var(--bad); } .state.bad::before { content: "\\2717"; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.6rem 1.5rem; margin: 0; }
td .state { display: inline-block; min-width: 9.5rem; }
dt { font-size: 0.8rem; color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
svg { vertical-align: middle; overflow: visible; }
.plot { width: 100%; height: 2rem; display: block; border-bottom: 1px solid var(--line); margin-top: 0.2rem; }
td .plot { display: inline-block; width: 5rem; height: 1.1rem; margin: 0 0.4rem 0 0; }
.plot path { fill: none; stroke: var(--busy); stroke-width: 1.5; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.strip { width: 100%; height: 1.25rem; margin-bottom: 0.4rem; }
.strip line { stroke: var(--line); }
.bar { width: 100%; min-width: 6rem; height: 0.9rem; background: var(--shade); }
rect.good { fill: var(--good); } rect.done { fill: var(--done); } rect.busy { fill: var(--busy); }
rect.warn { fill: var(--warn); } rect.bad { fill: var(--bad); }
.count { white-space: nowrap; }
#events td:nth-child(2), #events td:nth-child(3) { max-width: 16rem; }
#life td:last-child { width: 45%; }
pre { margin: 0.4rem 0 0; max-height: 28rem; min-height: 6rem; overflow: auto; background: var(--shade); padding: 0.6rem; font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1.5rem; color: var(--quiet); padding-bottom: 1.5rem; font-size: 0.9rem; }
@media (max-width: 45rem) {
  .wide { display: none; }
  body { font-size: 14px; }
  .facts { grid-template-columns: 1fr 1fr; gap: 0.5rem 1rem; }
  section { padding: 0.75rem; border-radius: 0; border-width: 1px 0; margin: 0.75rem -1rem; }
  td, th { padding-left: 0.3rem; padding-right: 0.3rem; }
  td .state { min-width: 6rem; }
  #pods tbody td:first-child { min-width: 5.5rem; }
  #life td:last-child { width: 30%; }
  .bar { min-width: 4rem; }
}
@media (prefers-reduced-motion: no-preference) { .state.busy::before { animation: wait 1.6s infinite; } }
@keyframes wait { 50% { opacity: 0.3; } }
</style>`;

/** By which the policy of the page knows it, and no other. */
export const STYLE_HASH = toHash(STYLE);

function toHash(style: Html): string {
  const text = style.toString().replace(/^<style>|<\/style>$/g, '');
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
