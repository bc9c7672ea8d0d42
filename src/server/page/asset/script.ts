/**
 * The script of the page, in the words of a browser: takes updates and puts in place what has changed, so that focus,
 * selection and scroll stay; counts ages on; follows a log. Text of pods never becomes markup here: updates are markup
 * that the server has escaped, log lines are text. A page that is not looked at has no connection.
 */

export const SCRIPT = `'use strict';
(() => {
const body = document.body;
const state = document.getElementById('live-state');
let offset = Number(body.dataset.now) - Date.now();
let source, retry;

function span(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const pair = (size, unit, rest, restUnit) => {
    const more = Math.floor((s % size) / rest);
    return Math.floor(s / size) + unit + (more === 0 ? '' : more + restUnit);
  };
  if (s < 120) return s + 's';
  if (s < 600) return pair(60, 'm', 1, 's');
  if (s < 10800) return Math.floor(s / 60) + 'm';
  if (s < 28800) return pair(3600, 'h', 60, 'm');
  if (s < 172800) return Math.floor(s / 3600) + 'h';
  if (s < 691200) return pair(86400, 'd', 3600, 'h');
  if (s < 63072000) return Math.floor(s / 86400) + 'd';
  return s < 252288000 ? pair(31536000, 'y', 86400, 'd') : Math.floor(s / 31536000) + 'y';
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function countAges() {
  const now = Date.now() + offset;
  for (const time of document.querySelectorAll('time[data-since]')) put(time, span(now - time.dataset.since));
  for (const time of document.querySelectorAll('time[data-until]'))
    put(time, span(Math.ceil((time.dataset.until - now) / 1000) * 1000));
}

/** Makes the children of one element those of another. What stays is not even moved: that would cost it its focus. */
function take(from, to) {
  const wantedIds = new Set([...from.children].map(({ id }) => id));
  const named = new Map();
  for (const child of [...to.children]) {
    if (!child.id) continue;
    if (wantedIds.has(child.id)) named.set(child.id, child);
    else child.remove();
  }
  let place = to.firstChild;
  for (const wanted of [...from.childNodes]) {
    const known = wanted.id ? named.get(wanted.id) : undefined;
    if (known && known !== place && known.parentNode === to) place = to.insertBefore(known, place);
    if (place && isAlike(place, wanted)) {
      keep(place, wanted);
      place = place.nextSibling;
    } else place = to.insertBefore(wanted, place).nextSibling;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function isAlike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || '') === (b.id || '');
}

function keep(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (!old.hasAttribute('data-keep') && !old.isEqualNode(wanted)) take(wanted, old);
}

function update({ now, ids, changed }) {
  offset = now - Date.now();
  const main = document.getElementById('content');
  for (const section of [...main.children]) if (!ids.includes(section.id)) section.remove();
  for (const id of ids) {
    if (changed[id] === undefined) continue;
    let section = document.getElementById(id);
    if (!section) {
      section = document.createElement('section');
      section.id = id;
      section.setAttribute('aria-labelledby', id + '-title');
      main.append(section);
    }
    take(new DOMParser().parseFromString(changed[id], 'text/html').body, section);
  }
  countAges();
  followLog();
}

function say(words, isLive) {
  put(state, words);
  state.classList.toggle('live', isLive);
}

function open() {
  clearTimeout(retry);
  if (source || document.hidden) return;
  source = new EventSource(body.dataset.live);
  source.onmessage = ({ data }) => {
    update(JSON.parse(data));
    say(state.dataset.liveWords, true);
  };
  source.onerror = () => {
    say(state.dataset.lostWords, false);
    if (source.readyState !== EventSource.CLOSED) return;
    close();
    retry = setTimeout(open, 5000);
  };
}

function close() {
  source?.close();
  source = undefined;
}

const MOST_CHARACTERS = 400000;
let log;

async function followLog() {
  const place = document.getElementById('log-text');
  const { src, key } = place?.dataset ?? {};
  if (log && log.place === place && log.key === key && log.src === src) return;
  log?.stop.abort();
  log = undefined;
  if (!place || document.hidden || key === '') return;
  const mine = (log = { place, key, src, stop: new AbortController() });
  put(place, '');
  try {
    const reply = await fetch(src, { signal: mine.stop.signal });
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) write(place, part.value);
    write(place, place.dataset.ended + '\\n');
  } catch {
    if (log === mine && !mine.stop.signal.aborted) retryLog(mine);
  }
}

function retryLog(mine) {
  setTimeout(() => {
    if (log === mine) log = undefined;
    followLog();
  }, 5000);
}

function write(place, text) {
  place.append(text.replace(/\\u001b\\[[0-9;]*m/g, ''));
  while (place.firstChild !== place.lastChild && place.textContent.length > MOST_CHARACTERS) place.firstChild.remove();
  if (document.getElementById('log-follow')?.checked) place.scrollTop = place.scrollHeight;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    close();
    log?.stop.abort();
    log = undefined;
  } else open();
});
addEventListener('pagehide', close);
addEventListener('pageshow', ({ persisted }) => persisted && open());
setInterval(countAges, 1000);
countAges();
open();
})();
`;
