/**
 * Findings for people: on a terminal within its width, with the way to mend a thing below it; in a pipe one plain line
 * each. What the machine says is escaped. Pure.
 */
import { escapeLine } from '../../../base/text/terminal-text.ts';
import type { Finding, Verdict } from './finding.ts';

const VERDICT_WIDTH = 'problem'.length;
const GAP = '  ';
const ARROW = '→ ';
const NARROW = 40;

/** `width` is that of the terminal; undefined in a pipe. */
export function renderFindings(findings: readonly Finding[], width: number | undefined): string {
  if (width === undefined) return findings.map(renderLine).join('');
  const subjects = Math.max(0, ...findings.map(({ subject }) => subject.length));
  const indent = VERDICT_WIDTH + GAP.length + subjects + GAP.length;
  const room = Math.max(NARROW, width - indent - 1);
  return findings
    .map(({ subject, verdict, what, mend }) => {
      const [first = '', ...rest] = wrap(escapeLine(what), room);
      const head = `${verdict.padEnd(VERDICT_WIDTH)}${GAP}${subject.padEnd(subjects)}${GAP}`;
      const advice = mend === undefined ? [] : wrap(escapeLine(`${ARROW}${mend}`), room);
      const below = [...rest, ...advice];
      return [`${head}${first}`, ...below.map((line) => `${' '.repeat(indent)}${line}`)].join('\n');
    })
    .map((text) => `${text}\n`)
    .join('');
}

function renderLine({ subject, verdict, what, mend }: Finding): string {
  const advice = mend === undefined ? '' : `; to mend it: ${mend}`;
  return `${verdict.padEnd(VERDICT_WIDTH)}${GAP}${escapeLine(`${subject}: ${what}${advice}`)}\n`;
}

/** At spaces; a word that is longer stays whole. */
function wrap(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export function summarizeFindings(findings: readonly Finding[]): string {
  const of = (verdict: Verdict): number => findings.filter((one) => one.verdict === verdict).length;
  const [problems, warnings] = [of('problem'), of('warning')];
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  if (problems === 0 && warnings === 0) return `All ${findings.length} things looked at are well.`;
  return `${count(problems, 'problem')}, ${count(warnings, 'warning')}, ${of('ok')} well.`;
}
