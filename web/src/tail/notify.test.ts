import { expect, test } from 'vitest';
import { sample } from '../ui/message/sample';
import { initialNotified, nextNotification, notificationText } from './useNotifications';

test('the first match is announced at once, the others together and not too often', () => {
  check([
    [0, 3, 3],
    [1_000, 2, null],
    [4_999, 5, null],
    [5_000, 1, 8],
    [60_000, 1, 1],
  ]);
});

test('a notification says what came, from where', () => {
  const message = sample();
  expect(notificationText(1, '', message)).toEqual({
    title: '1 match',
    body: 'web-1 Accepted key for ana',
  });
  expect(notificationText(12, 'failed', message).title).toBe('12 matches of failed');
  const long = notificationText(1, 'x'.repeat(999), sample({ message: 'y'.repeat(9_999) }));
  expect(long.title.length + long.body.length).toBeLessThan(300);
});

/** Each step states the time, the number of matches, and the number that is announced. */
function check(steps: [at: number, matches: number, say: number | null][]) {
  let last = initialNotified;
  for (const [at, matches, expected] of steps) {
    const { next, say } = nextNotification(last, matches, at);
    expect(say).toBe(expected);
    last = next;
  }
}
