import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from './compare.ts';
import { renderCourse, renderPlot } from './render-plot.ts';

const row = (title: string, ours: number, upstream: number): Row => ({
  metric: { id: 'x', title, unit: 'ms', group: 'start', bar: 0.8 },
  spreads: {
    ours: { min: ours, median: ours, max: ours },
    upstream: { min: upstream, median: upstream, max: upstream },
  },
  ratio: ours / upstream,
  ratios: undefined,
  verdict: undefined,
});

const widths = (svg: string): number[] =>
  [...svg.matchAll(/width="([\d.]+)" height="10" fill="#(?:2f6fde|9aa4b2)"\/><line/g)].map((match) =>
    Number(match[1]),
  );

describe('renderPlot', () => {
  it('draws ours as a share of upstream', () => {
    const [ours = 0, upstream = 0] = widths(renderPlot('Start', [row('1 pod', 50, 100)]));
    assert.ok(Math.abs(ours / upstream - 0.5) < 0.01, `${ours} of ${upstream}`);
  });

  it('cuts a bar off that is far longer than upstream, and leaves out what cannot be compared', () => {
    const svg = renderPlot('Start', [row('slow', 1000, 100), row('nothing', 5, 0)]);
    assert.equal(widths(svg).length, 2);
    assert.ok((widths(svg)[0] ?? 0) < 400);
    assert.doesNotMatch(svg, /nothing/);
    assert.match(svg, /1000 ms/, 'its number says what it is');
  });

  it('escapes titles', () => {
    assert.match(renderPlot('a < b', []), /<title>a &lt; b<\/title>/);
  });
});

describe('renderCourse', () => {
  it('draws a line for each kubelet that has points, lower for less', () => {
    const svg = renderCourse('Memory', {
      ours: [
        [0, 50],
        [60, 50],
      ],
      upstream: [
        [0, 100],
        [60, 100],
      ],
      floor: [],
    });
    const heights = [...svg.matchAll(/points="[\d.]+,([\d.]+) /g)].map((match) => Number(match[1]));
    assert.equal(heights.length, 2);
    assert.ok((heights[0] ?? 0) > (heights[1] ?? 0), 'the axis of a picture points down');
  });
});
