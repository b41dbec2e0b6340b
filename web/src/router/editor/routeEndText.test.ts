import { expect, test } from 'vitest';
import type { RouterDocument } from '../document';
import { endsText, goesOnText, laterRoutes, slowText } from './routeEndText';

const document: RouterDocument = {
  version: 1,
  sources: [],
  logspaces: [{ id: 'main' }, { id: 'security' }],
  destinations: [{ id: 'siem', queue: { size: '64MiB' } }, { id: 'copy' }],
  routes: [
    { id: 'logins', to: ['security', 'siem'] },
    { id: 'off', enabled: false, to: ['main'] },
    { id: 'default', to: ['main'] },
    { id: 'rest', fallback: true, to: ['copy'] },
  ],
};
const place = (index: number) => ({ section: 'routes', index }) as const;

test('both choices name the later routes that they are about', () => {
  const later = laterRoutes(document, place(0));
  expect(endsText(later)).toBe('Instead: messages end here, and default no longer gets them.');
  expect(goesOnText(later)).toBe('A copy: default can take them too, and send them to main.');
});

test('the last route has nobody after it', () => {
  const later = laterRoutes(document, place(3));
  expect(endsText(later)).toBe('Messages end here. No later route is there to miss them.');
  expect(goesOnText(later)).toContain('None is there yet');
});

test('a full queue holds up senders, or loses what is for it', () => {
  const [logins = {}, , normal = {}] = document.routes;
  expect(slowText(document, logins, undefined)).toBe(
    'On: when the queue of siem is full (64MiB), senders wait, also with what goes elsewhere. No message is lost.',
  );
  expect(slowText(document, { ...logins, flow_control: false }, undefined)).toMatch(
    /^Off: .*dropped/,
  );
  const filling = { id: 'siem', within: '2 h' };
  expect(slowText(document, logins, filling)).toContain('the queue of siem is full (in 2 h)');
  expect(slowText(document, normal, undefined)).toMatch(/^Only affects/);
});
