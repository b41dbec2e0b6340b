import { expect, test } from 'vitest';
import { groupsOf, setText } from './fieldGroups';
import { kindsOf } from './fields';

const fieldsOf = (section: 'sources' | 'destinations', kind: string) =>
  kindsOf(section).find((one) => one.kind === kind)?.fields ?? [];

test('a source has what is always set first, and the rest in groups', () => {
  const groups = groupsOf('sources', fieldsOf('sources', 'syslog'));
  expect(groups.map(({ name }) => name)).toEqual(['Basic', 'Parsing', 'TLS', 'Access', 'Limits']);
  expect(groups[0]?.fields.map(({ key }) => key)).toEqual(['listen']);
});

test('no kind has more than a handful of basic settings, and every setting is in one group', () => {
  for (const section of ['sources', 'destinations'] as const) {
    for (const { kind, fields } of kindsOf(section)) {
      const groups = groupsOf(section, fields);
      expect(groups.find(({ name }) => name === 'Basic')?.fields.length ?? 0, kind).toBeLessThan(9);
      const grouped = groups.flatMap((group) => group.fields.map(({ key }) => key));
      expect(grouped.sort(), kind).toEqual(fields.map(({ key }) => key).sort());
    }
  }
});

test('a group says what is set in it, without secrets', () => {
  const item = {
    id: 'es',
    kind: 'elastic',
    user: 'writer',
    password: 'hunter2',
    queue: { size: '1GiB', age: '2d' },
  };
  const texts = groupsOf('destinations', fieldsOf('destinations', 'elastic')).map(
    ({ name, fields }) => `${name}: ${setText(fields, item)}`,
  );
  expect(texts).toContain('Sign-in: User writer, Password');
  expect(texts).toContain('Queue: Send within 2d');
  expect(texts).toContain('TLS: ');
});
