import { expect, test } from 'vitest';
import { edgeWidth, inputEdges, outputEdges } from './flow';

const document = {
  version: 1,
  sources: [{ id: 'a' }, { id: 'b' }],
  routes: [
    { id: 'one', from: ['b'], to: ['main', 'siem', 'gone'] },
    { id: 'rest', from: [], to: ['main'] },
  ],
  logspaces: [{ id: 'main' }],
  destinations: [{ id: 'siem' }],
};

test('a route is fed by the sources it names, or by all', () => {
  expect(inputEdges(document).map(({ key }) => key)).toEqual(['1-0', '0-1', '1-1']);
});

test('a route leads to the targets that exist', () => {
  expect(outputEdges(document).map(({ key }) => key)).toEqual(['0-main', '0-siem', '1-main']);
});

test('destinations stand below the logspaces and their heading', () => {
  const [toLogspace, toDestination] = outputEdges(document);
  expect(toLogspace?.toY).toBe(24);
  expect(toDestination?.toY).toBe(24 + 56 + 36);
});

test('more messages make a wider line, within bounds', () => {
  expect(edgeWidth(0)).toBe(1.5);
  expect(edgeWidth(9)).toBe(2.5);
  expect(edgeWidth(1e12)).toBe(5.5);
});
