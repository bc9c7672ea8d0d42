/**
 * The output of a terminal as a picture (SVG): lines of text on a grid, with the colours and weights of its sequences.
 * Only those that our own commands write are known; everything else is left out. Pure.
 */

const FONT_SIZE = 14;
const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 16;
const TITLE_HEIGHT = 28;

const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
};

interface Piece {
  readonly text: string;
  readonly colour?: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** `title` is the command; `text` what it wrote to a terminal of so many columns, which breaks longer lines. */
export function renderTerminal(title: string, text: string, most: number): string {
  const written = text.replaceAll('\r', '').replace(/\n+$/, '').split('\n').map(toPieces);
  const lines = written.flatMap((line) => breakLine(line, most));
  const columns = Math.max(title.length + 2, ...lines.map(lengthOf));
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + TITLE_HEIGHT + 2 * MARGIN;
  const rows = lines.map((pieces, index) =>
    renderRow(pieces, TITLE_HEIGHT + MARGIN + (index + 0.75) * LINE_HEIGHT),
  );
  const prompt = renderRow(
    [
      { text: '# ', isBold: false, isDim: true },
      { text: title, isBold: true, isDim: false },
    ],
    MARGIN + 0.75 * LINE_HEIGHT,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_SIZE}" fill="#e6edf3">`,
    prompt,
    ...rows.filter((row) => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function breakLine(pieces: readonly Piece[], most: number): Piece[][] {
  const lines: Piece[][] = [[]];
  let left = most;
  for (const { text, ...look } of pieces) {
    for (let rest = text; rest !== ''; ) {
      if (left === 0) lines.push([]);
      if (left === 0) left = most;
      const part = rest.slice(0, left);
      rest = rest.slice(part.length);
      left -= part.length;
      lines.at(-1)?.push({ text: part, ...look });
    }
  }
  return lines;
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0);
}

/** Words that stand together at their place on the grid, whatever font there is: a picture has no wide spaces. */
function renderRow(pieces: readonly Piece[], y: number): string {
  let column = 0;
  const spans = pieces.map(({ text, ...look }) => {
    const at = column;
    column += text.length;
    const words = [...text.matchAll(/\S+(?: \S+)*/g)];
    return words.map((found) => renderPiece({ text: found[0], ...look }, at + found.index, y)).join('');
  });
  return spans.join('');
}

function renderPiece({ text, colour, isBold, isDim }: Piece, column: number, y: number): string {
  const x = (MARGIN + column * CELL_WIDTH).toFixed(1);
  const look = [
    colour === undefined ? '' : ` fill="${colour}"`,
    isBold ? ' font-weight="bold"' : '',
    isDim ? ' fill-opacity="0.6"' : '',
  ].join('');
  const length = (text.length * CELL_WIDTH).toFixed(1);
  return `<text x="${x}" y="${y.toFixed(1)}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${look}>${escapeXml(text)}</text>`;
}

/** Splits a line at its sequences. */
function toPieces(line: string): Piece[] {
  const pieces: Piece[] = [];
  let look: Omit<Piece, 'text'> = { isBold: false, isDim: false };
  // Every odd part is what is between `ESC [` and its letter.
  for (const [index, part] of line.split(SEQUENCE).entries()) {
    if (index % 2 === 1) look = applyCode(look, part);
    else if (part !== '') pieces.push({ text: part.replaceAll(OBEYED, ''), ...look });
  }
  return pieces;
}

const SEQUENCE = new RegExp(`${String.fromCharCode(0x1b)}\\[([0-9;]*)[a-zA-Z]`);
const OBEYED = /\p{Cc}/gu;

function applyCode(look: Omit<Piece, 'text'>, code: string): Omit<Piece, 'text'> {
  if (code === '' || code === '0') return { isBold: false, isDim: false };
  if (code === '1') return { ...look, isBold: true };
  if (code === '2') return { ...look, isDim: true };
  return { ...look, colour: COLOURS[code] ?? look.colour };
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
