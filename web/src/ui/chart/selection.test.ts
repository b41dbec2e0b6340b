import { expect, test } from 'vitest';
import { moved, spanOfCursor } from './selection';

test('arrows walk and stay on the chart', () => {
  expect(moved(null, 'ArrowLeft', false, 5)).toEqual({ at: 4, anchor: null });
  expect(moved({ at: 4, anchor: null }, 'ArrowLeft', false, 5)).toEqual({ at: 3, anchor: null });
  expect(moved({ at: 4, anchor: null }, 'ArrowRight', false, 5)).toEqual({ at: 4, anchor: null });
  expect(moved({ at: 4, anchor: null }, 'PageUp', false, 5)).toEqual({ at: 0, anchor: null });
  expect(moved({ at: 4, anchor: null }, 'x', false, 5)).toBeNull();
  expect(moved(null, 'Home', false, 0)).toBeNull();
});

test('with Shift they mark from where they began', () => {
  const once = moved({ at: 4, anchor: null }, 'ArrowLeft', true, 9);
  const twice = moved(once, 'ArrowLeft', true, 9);
  expect(twice).toEqual({ at: 2, anchor: 4 });
  expect(twice && spanOfCursor(twice)).toEqual({ first: 2, last: 4 });
  expect(moved(twice, 'ArrowRight', false, 9)).toEqual({ at: 3, anchor: null });
});
