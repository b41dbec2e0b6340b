import { expect, test } from 'vitest';
import { graphOf } from './graph';
import { ledger, row } from './sample';

test('every outcome of a source is a ribbon, the kinds in their order', () => {
  const graph = graphOf(
    ledger([
      row('syslog', {
        received: 17,
        stored: 10,
        stored_in: { main: 10 },
        dropped: { no_route: 7 },
      }),
      row('http', {
        received: 6,
        forwarded: 3,
        forwarded_to: { siem: 3 },
        unacknowledged: 2,
        in_flight: 1,
      }),
    ]),
  );
  expect(graph.sources.map(({ name, count }) => [name, count])).toEqual([
    ['syslog', 17],
    ['http', 6],
  ]);
  expect(graph.targets.map(({ key, count }) => [key, count])).toEqual([
    ['logspace:main', 10],
    ['destination:siem', 3],
    ['dropped:no_route', 7],
    ['unacknowledged', 2],
    ['in_flight', 1],
  ]);
  expect(graph.flows).toHaveLength(5);
});

test('a source that received nothing is not drawn', () => {
  const received = row('syslog', { received: 5, stored: 5, stored_in: { main: 5 } });
  const graph = graphOf(ledger([received, row('silent', {})]));
  expect(graph.sources.map(({ name }) => name)).toEqual(['syslog']);
});

test('beyond some names the rest is one, and nothing of it is lost', () => {
  const rows = Array.from({ length: 40 }, (_, at) =>
    row(`s${at}`, { received: at + 1, stored: at + 1, stored_in: { [`l${at}`]: at + 1 } }),
  );
  const graph = graphOf(ledger(rows));
  const sum = (counted: readonly { count: number }[]) =>
    counted.reduce((total, { count }) => total + count, 0);
  expect(graph.sources).toHaveLength(25);
  expect(graph.sources.at(-1)?.name).toBe('16 more');
  const total = (40 * 41) / 2;
  expect([sum(graph.sources), sum(graph.targets), sum(graph.flows)]).toEqual([total, total, total]);
});
