import { expect, it } from 'vitest';
import { offsetOf, zonesWith } from './senders';

const winter = new Date('2026-11-22T12:00:00Z');

it('knows the offset of a zone on a day', () => {
  expect(offsetOf('Europe/Helsinki', winter)).toBe('+02:00');
  expect(offsetOf('Europe/Helsinki', new Date('2026-07-01T12:00:00Z'))).toBe('+03:00');
  expect(offsetOf('America/St_Johns', winter)).toBe('-03:30');
  expect(offsetOf('UTC', winter)).toBe('+00:00');
});

it('lists the zones with an offset, the own one first', () => {
  const zones = zonesWith('+02:00', winter, 'Europe/Kyiv');
  expect(zones[0]).toBe('Europe/Kyiv');
  expect(zones).toContain('Europe/Helsinki');
  expect(zones).not.toContain('Europe/Berlin');
  expect(zonesWith('+02:00', winter, 'UTC')).not.toContain('UTC');
});
