import { expect, test } from 'vitest';
import { movedCursor, spanOfCursor } from './selection';

test('arrows walk and stay on the chart', () => {
  expect(movedCursor(null, 'ArrowLeft', false, 5)).toEqual({ at: 4, anchor: null });
  expect(movedCursor({ at: 4, anchor: null }, 'ArrowLeft', false, 5)).toEqual({
    at: 3,
    anchor: null,
  });
  expect(movedCursor({ at: 4, anchor: null }, 'ArrowRight', false, 5)).toEqual({
    at: 4,
    anchor: null,
  });
  expect(movedCursor({ at: 4, anchor: null }, 'PageUp', false, 5)).toEqual({ at: 0, anchor: null });
  expect(movedCursor({ at: 4, anchor: null }, 'x', false, 5)).toBeNull();
  expect(movedCursor(null, 'Home', false, 0)).toBeNull();
});

test('with Shift they mark from where they began', () => {
  const once = movedCursor({ at: 4, anchor: null }, 'ArrowLeft', true, 9);
  const twice = movedCursor(once, 'ArrowLeft', true, 9);
  expect(twice).toEqual({ at: 2, anchor: 4 });
  expect(twice && spanOfCursor(twice)).toEqual({ first: 2, last: 4 });
  expect(movedCursor(twice, 'ArrowRight', false, 9)).toEqual({ at: 3, anchor: null });
});
