import { expect, test } from 'vitest';
import { readDocument } from '../document';
import { edited } from '../draft/edits';
import { findingsOf } from './findings';
import { type Documents, matrixOf } from './outcome';
import type { Outcome, RouteReport, TestReport } from './wire';

const dedup = { dedup: ['host', 'message'], within: '10s' };
const mask = { mask: '\\d{16}' };

function documentsOf(live: unknown[], draft: unknown[]): Documents {
  const basics = {
    version: 1,
    logspaces: [{ id: 'main' }, { id: 'security' }],
    destinations: [{ id: 'siem' }],
  };
  return {
    live: readDocument({ ...basics, routes: live }),
    draft: readDocument({ ...basics, routes: draft }),
  };
}

function cell(before: string[], after: string[], part: Partial<Outcome> = {}): Outcome {
  return {
    ...{ before, after, count: 10, changed: 0, differs: {}, steps: [], examples: [] },
    taken: { before: {}, after: {} },
    ...part,
  };
}

function reportOf(matrix: Outcome[], part: Partial<TestReport> = {}): TestReport {
  const messages = matrix.reduce((sum, { count }) => sum + count, 0);
  return {
    ...{ messages, total: messages, complete: true, sampled: false, margin: 0, fraction: 1 },
    ...{ took_ms: 1, changed: 0, matrix, routes: [], targets: [], problems: [] },
    parse_failures: { before: 0, after: 0 },
    ...part,
  };
}

function found(report: TestReport, documents: Documents, isNarrow = false) {
  return findingsOf(report, matrixOf(report.matrix, documents), documents, isNarrow);
}

function routeReport(id: string, before: number, after: number, part = {}): RouteReport {
  return { id, before, after, steps: [], ...part };
}

const both = ['destination:siem', 'logspace:main'];

test('a mask that makes dedup drop more is found, and undone by their order', () => {
  const route = { id: 'pay', to: ['main', 'siem'], final: true };
  const documents = documentsOf(
    [{ ...route, steps: [dedup] }],
    [{ ...route, steps: [mask, dedup] }],
  );
  const lost = cell(both, ['dropped:route:pay/step:2'], {
    taken: { before: { pay: 10 }, after: { pay: 10 } },
    steps: [{ route: 'pay', step: 1, kind: 'mask', changed: 8 }],
  });
  const [finding, ...others] = found(reportOf([lost, cell(both, both)]), documents);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    tone: 'error',
    title: '8 messages reach main and siem no more.',
    text: 'mask in step 1 can make different messages look alike, and dedup in step 2 of pay drops what looks alike.',
    place: { item: { section: 'routes', index: 0 }, step: 1 },
  });
  expect(finding?.fix?.label).toBe('Move dedup before mask');
  const fixed = (finding?.fix?.edits ?? []).reduce(edited, documents.draft);
  expect(fixed.routes[0]?.['steps']).toEqual([dedup, mask]);
});

test('a new dedup may drop, unless a step before it changed what it compares', () => {
  const documents = documentsOf(
    [{ id: 'a', to: ['main'] }],
    [{ id: 'a', to: ['main'], steps: [mask, dedup] }],
  );
  const taken = { before: { a: 10 }, after: { a: 10 } };
  const dropped = cell(['logspace:main'], ['dropped:route:a/step:2'], { taken });
  expect(found(reportOf([dropped]), documents)).toEqual([]);
  const steps = [{ route: 'a', step: 1, kind: 'mask', changed: 10 }];
  const [finding] = found(reportOf([{ ...dropped, steps }]), documents);
  expect(finding).toMatchObject({
    tone: 'caution',
    title: 'dedup drops 10 messages that mask changed first.',
  });
  // A mask changes no host.
  const byHost = documentsOf(
    [{ id: 'a', to: ['main'] }],
    [{ id: 'a', to: ['main'], steps: [mask, { dedup: ['host'] }] }],
  );
  expect(found(reportOf([{ ...dropped, steps }]), byHost)).toEqual([]);
});

test('messages that go nowhere get a fallback, or their route back', () => {
  const live = [{ id: 'web', to: ['main'] }];
  const gone = cell(['logspace:main'], ['dropped:no_route'], {
    taken: { before: { web: 10 }, after: {} },
  });
  const narrowed = documentsOf(live, [{ id: 'web', where: 'host=x', to: ['main'] }]);
  const [finding] = found(reportOf([gone]), narrowed);
  expect(finding?.title).toBe('10 messages go nowhere.');
  expect(finding?.fix?.label).toBe('Add a fallback route to main');
  const fixed = (finding?.fix?.edits ?? []).reduce(edited, narrowed.draft);
  expect(fixed.routes[1]).toEqual({ id: 'rest', fallback: true, to: ['main'] });
  const disabled = documentsOf(live, [{ id: 'web', to: ['main'], enabled: false }]);
  expect(found(reportOf([gone]), disabled)[0]?.fix?.label).toBe('Enable web');
  const as = cell(['dropped:no_route'], ['dropped:no_route'], { count: 1 });
  expect(found(reportOf([as]), narrowed)[0]).toMatchObject({
    tone: 'caution',
    title: '1 message goes nowhere, as now.',
  });
});

test('a final route that takes messages away is told to pass them on', () => {
  const logins = { id: 'logins', to: ['security', 'siem'] };
  const documents = documentsOf(
    [logins],
    [{ id: 'bastions', to: ['security'], final: true }, logins],
  );
  const lost = cell(['destination:siem', 'logspace:security'], ['logspace:security'], {
    taken: { before: { logins: 10 }, after: { bastions: 10 } },
  });
  const routes = [routeReport('bastions', 0, 10), routeReport('logins', 10, 0)];
  const [first, second] = found(reportOf([lost], { routes }), documents);
  expect(first).toMatchObject({
    title: '10 messages reach siem no more.',
    text: 'Route bastions takes them and is final, so logins does not see them.',
  });
  const passedOn = (first?.fix?.edits ?? []).reduce(edited, documents.draft);
  expect(passedOn.routes[0]).toEqual({ id: 'bastions', to: ['security'] });
  expect(second?.title).toBe('Route logins takes nothing any more.');
  expect(second?.fix?.label).toBe('Move logins before bastions');
  const moved = (second?.fix?.edits ?? []).reduce(edited, documents.draft);
  expect(moved.routes.map(({ id }) => id)).toEqual(['logins', 'bastions']);
});

test('a part of the messages says nothing of what a route takes', () => {
  const apps = { id: 'apps', to: ['main'] };
  const cards = { id: 'mask-cards', to: ['main'], final: true };
  const documents = documentsOf([apps], [cards, apps]);
  const taken = { before: { apps: 10 }, after: { 'mask-cards': 10 } };
  const main = ['logspace:main'];
  const report = reportOf([cell(main, main, { taken })], {
    routes: [routeReport('mask-cards', 0, 10), routeReport('apps', 10, 0)],
  });
  expect(found(report, documents).map(({ title }) => title)).toEqual([
    'Route apps takes nothing any more.',
  ]);
  expect(found(report, documents, true)).toEqual([]);
});

test('no message is sent past the steps of a route that takes it first', () => {
  const apps = { id: 'apps', to: ['main', 'siem'] };
  const cards = { id: 'mask-cards', to: ['main'], final: true, steps: [mask] };
  const documents = documentsOf([apps], [cards, apps]);
  const taken = { before: { apps: 10 }, after: { 'mask-cards': 10 } };
  const report = reportOf([cell(both, ['logspace:main'], { taken })], {
    routes: [routeReport('mask-cards', 0, 10), routeReport('apps', 10, 0)],
  });
  expect(found(report, documents).map(({ title, fix }) => [title, fix])).toEqual([
    ['10 messages reach siem no more.', null],
    ['Route apps takes nothing any more.', null],
  ]);
});

test('a target that a route no longer names is named again', () => {
  const documents = documentsOf([{ id: 'a', to: ['main', 'siem'] }], [{ id: 'a', to: ['main'] }]);
  const taken = { before: { a: 10 }, after: { a: 10 } };
  const [finding] = found(reportOf([cell(both, ['logspace:main'], { taken })]), documents);
  expect(finding?.fix?.label).toBe('Send a to siem too');
  expect(finding?.text).toBe('Route a takes them as before, but sends them to main only.');
});

test('routes and steps that do nothing are found where all messages were tried', () => {
  const documents = documentsOf(
    [{ id: 'a', to: ['main'] }],
    [
      { id: 'new', where: 'x', to: ['main'] },
      { id: 'a', to: ['main'], steps: [mask] },
    ],
  );
  const step = { step: 1, kind: 'mask', messages: 10, changed: 0, dropped: 0, failed: 0 };
  const routes = [
    routeReport('new', 0, 0),
    routeReport('a', 10, 10, { steps: [{ ...step, examples: [] }] }),
  ];
  const report = reportOf([cell(['logspace:main'], ['logspace:main'])], { routes });
  expect(found(report, documents).map(({ title }) => title)).toEqual([
    'Route new takes nothing.',
    'mask in a does nothing.',
  ]);
  expect(found(report, documents, true)).toEqual([]);
});

test('parse failures are told where they are gained, with a way to have fewer', () => {
  const documents = documentsOf(
    [{ id: 'a', to: ['main'] }],
    [{ id: 'a', to: ['main'], steps: [{ parse: 'json' }] }],
  );
  const step = { step: 1, kind: 'parse', messages: 10, changed: 6, dropped: 0, failed: 4 };
  const report = reportOf([cell(['logspace:main'], ['logspace:main'])], {
    routes: [routeReport('a', 10, 10, { steps: [{ ...step, examples: [] }] })],
    parse_failures: { before: 0, after: 4 },
  });
  const [finding] = found(report, documents);
  expect(finding?.title).toBe('4 messages more cannot be parsed.');
  const fixed = (finding?.fix?.edits ?? []).reduce(edited, documents.draft);
  expect(fixed.routes[0]?.['steps']).toEqual([{ parse: 'json', where: 'message:/^\\s*\\{/' }]);
  expect(found({ ...report, parse_failures: { before: 5, after: 4 } }, documents)).toEqual([]);
});
