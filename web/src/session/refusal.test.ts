import { expect, test } from 'vitest';
import { withoutRefusal } from './refusal';

test('a reason is said in our words, and the page stays the one that was asked for', () => {
  const check = (search: string, refusal: string | null, page: string) => {
    const read = withoutRefusal({ pathname: '/search', search });
    expect(read.page).toBe(page);
    if (refusal === null) expect(read.refusal).toBeNull();
    else expect(read.refusal).toContain(refusal);
  };
  check('', null, '/search');
  check('?q=a%20b', null, '/search?q=a%20b');
  check('?sso=no_group', 'in no group', '/search');
  check('?q=a&sso=denied', 'cancelled', '/search?q=a');
  check('?sso=Call+0900+123456', 'sign-in failed', '/search');
});
