import { describe, expect, test } from 'vitest';
import { completeToml } from './completion';

/** The cursor is at the `¦`. */
function offersAt(marked: string) {
  const cursor = marked.indexOf('¦');
  return completeToml(marked.replace('¦', ''), cursor);
}

function labelsAt(marked: string): string[] {
  return offersAt(marked)?.options.map(({ label }) => label) ?? [];
}

describe('keys', () => {
  const logspace = '[[logspaces]]\n';

  test('an entry is offered the keys that its kind allows', () => {
    const keys = labelsAt('[[destinations]]\nkind = "syslog"\n¦');
    const queue = ['enabled', 'queue.size', 'queue.memory', 'queue.age', 'queue.durability'];
    const tls = ['tls.ca', 'tls.certificate', 'tls.key', 'tls.server_name'];
    expect(keys).toEqual(['to', 'framing', 'format', ...tls, 'id', ...queue]);
    const rotate = ['rotate.size', 'rotate.age', 'rotate.compression'];
    expect(labelsAt('[[destinations]]\n¦\nkind = "file"')).toEqual([
      'path',
      ...rotate,
      'id',
      ...queue,
    ]);
  });

  test('without a kind only the keys of all kinds are offered', () => {
    expect(labelsAt('[[sources]]\n¦')).toEqual(['id', 'kind', 'enabled']);
    expect(labelsAt('[[sources]]\nkind = "none of these"\n¦')).toEqual(['id', 'enabled']);
  });

  test('keys that are there are not offered again, however they are written', () => {
    const keys = ['id', 'retention.age', 'retention.size', 'durability'];
    expect(labelsAt(`${logspace}¦`)).toEqual(keys);
    expect(labelsAt(`${logspace}id = "main"\n¦`)).toEqual(keys.slice(1));
    expect(labelsAt(`${logspace}¦\nretention.age = "1d"`)).not.toContain('retention.age');
    expect(labelsAt(`${logspace}retention = { age = "1d" }\n¦`)).not.toContain('retention.age');
    expect(labelsAt(`${logspace}¦\n[logspaces.retention]\nage = "1d"`)).not.toContain(
      'retention.age',
    );
    expect(labelsAt(`${logspace}id = "a"\n\n${logspace}¦`)).toEqual(keys);
  });

  test('within a table the keys are those of the table', () => {
    expect(labelsAt(`${logspace}retention = { ¦ }`)).toEqual(['age', 'size']);
    expect(labelsAt(`${logspace}retention = { age = "1d", ¦`)).toEqual(['size']);
    expect(labelsAt(`${logspace}[logspaces.retention]\n¦`)).toEqual(['age', 'size']);
  });

  test('what is typed narrows the offers, and is replaced as a whole', () => {
    expect(labelsAt(`${logspace}reten¦`)).toEqual(['retention.age', 'retention.size']);
    const offers = offersAt(`${logspace}dura¦`);
    expect(offers).toMatchObject({ from: 14, to: 18 });
    expect(offers?.options).toEqual([
      {
        label: 'durability',
        insert: 'durability = ',
        detail: expect.stringContaining('fsync') as string,
        leadsOn: true,
      },
    ]);
  });

  test('a key that has a value is replaced alone', () => {
    expect(offersAt(`${logspace}durab¦le = "os"`)?.options[0]?.insert).toBe('durability');
  });
});

describe('steps', () => {
  const route = '[[routes]]\nid = "a"\n';

  test('a step is offered what there is to do, and then what belongs to that', () => {
    expect(labelsAt(`${route}steps = [{ ¦ }]`)).toEqual(expect.arrayContaining(['mask', 'drop']));
    expect(labelsAt(`${route}steps = [\n  { ma¦ },\n]`)).toEqual(['mask']);
    expect(labelsAt(`${route}steps = [{ mask = "x", ¦ }]`)).toEqual(['with', 'where']);
    expect(labelsAt(`${route}steps = [{ lookup = "a.csv", set = ["b"], ¦ }]`)).toEqual([
      'key',
      'where',
    ]);
    expect(labelsAt(`${route}[[routes.steps]]\nmask = "x"\n¦`)).toEqual(['with', 'where']);
  });

  test('what another step has is not missed in this one', () => {
    const steps = 'steps = [{ mask = "x", with = "y" }, { sample = 0.5, ¦ }, { drop = "z" }]';
    expect(labelsAt(route + steps)).toEqual(['by', 'where']);
    expect(labelsAt(`${route}steps = [{ mask = "x" }]\n¦`)).not.toContain('steps');
  });

  test('a key with choices leads on to them', () => {
    const offers = offersAt(`${route}steps = [{ par¦`);
    expect(offers?.options).toMatchObject([{ insert: 'parse = ', leadsOn: true }]);
    expect(labelsAt(`${route}steps = [{ parse = ¦ }]`)).toContain('json');
    expect(labelsAt(`${route}steps = [{ parse = "c¦" }]`)).toEqual(['cef', 'csv', 'extract']);
  });

  test('nothing is offered between steps, and for the names of fields', () => {
    expect(offersAt(`${route}steps = [{ mask = "x" }, ¦]`)).toBeNull();
    expect(offersAt(`${route}steps = [{ set = { zo¦ } }]`)).toBeNull();
  });
});

describe('values', () => {
  const route = '[[routes]]\n';
  const source = '[[sources]]\nkind = "syslog"\n';

  test('a key with choices offers them, and says which is the default', () => {
    const offers = offersAt('[[logspaces]]\ndurability = ¦');
    expect(offers?.options.map(({ insert, detail }) => [insert, detail])).toEqual([
      ['"fsync"', 'default'],
      ['"os"', ''],
    ]);
    expect(labelsAt('[[sources]]\nkind = ¦')).toContain('relp');
  });

  test('a switch offers true and false', () => {
    expect(offersAt(`${route}final = ¦`)?.options.map(({ insert }) => insert)).toEqual([
      'true',
      'false',
    ]);
  });

  test('a value that is begun is replaced, quotes included', () => {
    const text = `${source}framing = "oct¦"`;
    expect(labelsAt(text)).toEqual(['octet']);
    const { from = 0, to = 0 } = offersAt(text) ?? {};
    expect(text.replace('¦', '').slice(from, to)).toBe('"oct"');
  });

  test('nothing is offered for a value of any other kind', () => {
    expect(offersAt(`${source}message_max = ¦`)).toBeNull();
    expect(offersAt(`${source}listen = [¦]`)).toBeNull();
  });
});

test('nothing is offered where nothing of an entry is written', () => {
  for (const text of [
    '¦',
    'version = ¦',
    '[[sour¦ces]]',
    '[[unknown]]\n¦',
    '[[logspaces]]\n# dura¦',
    '[[logspaces]]\nid = "main" # dura¦',
    '[[logspaces]]\nid = "dura¦"',
    '[[sources]]\nkind = "syslog"\nlisten = [\n  "tcp:¦",\n]',
  ])
    expect(offersAt(text), text).toBeNull();
});

test('a list without its end does not swallow the entries after it', () => {
  expect(labelsAt('[[sources]]\nlisten = [\n[[routes]]\nfin¦')).toEqual(['final']);
});

test('keys in texts and comments are not keys', () => {
  const text = "[[routes]]\nwhere = '''\nfinal = true\n'''\n# fallback = true\n¦";
  expect(labelsAt(text)).toEqual(expect.arrayContaining(['final', 'fallback']));
  expect(labelsAt(text)).not.toContain('where');
});
