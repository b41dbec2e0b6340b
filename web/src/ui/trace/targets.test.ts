import { expect, test } from 'vitest';
import { outcomeText } from './targets';

test('outcomes in words', () => {
  expect(outcomeText(['logspace:app', 'destination:siem'])).toBe('app + siem');
  expect(outcomeText(['dropped:route:fw/step:2'])).toBe('dropped by fw, step 2');
  expect(outcomeText(['dropped:unrouted'])).toBe('dropped, no route');
  expect(outcomeText([])).toBe('dropped');
});
