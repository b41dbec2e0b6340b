import { expect, test } from 'vitest';
import consoleText from '../../../../docs/console.md?raw';
import licencesText from '../../../../docs/licences.md?raw';
import queryText from '../../../../docs/query-language.md?raw';
import routerText from '../../../../docs/router.md?raw';
import { topicsOf } from '../topics';
import { partOf, readMarkdown, runsOf } from './markdown';

test('each kind of block is recognised', () => {
  const markdown =
    '# A `name`\n\nOne\ntwo.\n\n- first\n  more\n- second\n\n| a | b |\n|---|---|\n| `x\\|y` | z |\n\n```\n# code\n```\n';
  expect(readMarkdown(markdown)).toEqual([
    { kind: 'heading', level: 1, text: 'A name', anchor: 'a-name' },
    { kind: 'text', text: 'One two.' },
    { kind: 'list', isOrdered: false, items: ['first more', 'second'] },
    { kind: 'table', head: ['a', 'b'], rows: [['`x|y`', 'z']] },
    { kind: 'code', text: '# code' },
  ]);
});

test('words keep their emphasis and lead on', () => {
  expect(runsOf('Type `a*b` or *b*, see [the `router`](router.md#x).')).toEqual([
    { kind: 'plain', text: 'Type ' },
    { kind: 'code', text: 'a*b' },
    { kind: 'plain', text: ' or ' },
    { kind: 'emphasis', text: 'b' },
    { kind: 'plain', text: ', see ' },
    { kind: 'link', text: 'the router', to: 'router.md#x' },
    { kind: 'plain', text: '.' },
  ]);
});

test('every page of the console has the part that its help leads to', () => {
  const blocks = readMarkdown(consoleText);
  for (const page of ['Search', 'Tail', 'Senders', 'Router', 'Logspaces', 'Admin', 'Send logs']) {
    const [topic] = topicsOf(page);
    const part = new URLSearchParams(topic?.href.split('?')[1]).get('part') ?? '';
    expect(partOf(blocks, part)[0], page).toMatchObject({ kind: 'heading', text: page });
  }
});

test('no mark of the Markdown is left over in the documents that are shown', () => {
  for (const text of [consoleText, licencesText, queryText, routerText]) {
    const shown = readMarkdown(text).flatMap((block) =>
      block.kind === 'text' ? [block.text] : block.kind === 'list' ? block.items : [],
    );
    const plain = shown.flatMap(runsOf).filter(({ kind }) => kind === 'plain');
    for (const { text: words } of plain) expect(words).not.toMatch(/\]\(|^#|`/);
  }
});
