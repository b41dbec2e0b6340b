import { expect, test } from 'vitest';
import text from '../../../docs/agents.md?raw';
import { agentsWith, readGuide, runsOf } from './guide';

const guide = readGuide(text);
const linesLike = (pattern: RegExp) => text.match(pattern)?.length ?? 0;

test('the documentation has all agents that the page promises', () => {
  const names = guide.agents.map(({ name }) => name).join(', ');
  const wanted =
    'rsyslog, syslog-ng, systemd, Fluent Bit, Fluentd, Vector, Filebeat, Logstash, OpenTelemetry, ' +
    'Promtail, Alloy, Docker, Kubernetes, Python, Java, Go, Node, .NET, curl';
  for (const name of wanted.split(', ')) expect(names).toContain(name);
});

test('nothing of the documentation is lost', () => {
  expect(guide.agents).toHaveLength(linesLike(/^### /gm));
  const blocks = guide.agents.flatMap((agent) => agent.blocks);
  const codes = blocks.filter(({ kind }) => kind === 'code');
  expect(2 * (codes.length + guide.sources.length)).toBe(linesLike(/^```/gm));
  for (const { name, blocks } of guide.agents) expect(blocks, name).not.toEqual([]);
  // Every word from the first group on appears in a heading or a block, in the order of the page.
  const rest = text.slice(text.indexOf('\n## ')).replace(/^```.*$|^## .*$/gm, '');
  const shown = guide.agents.map(({ name, blocks }) =>
    ['###', name, ...blocks.map((block) => block.text)].join(' '),
  );
  expect(wordsOf(shown.join(' '))).toEqual(wordsOf(rest));
});

test('every agent has an address of its own and a group', () => {
  const ids = guide.agents.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, group } of guide.agents) {
    expect(id).toMatch(/^[a-z0-9-]+$/);
    expect(group).not.toBe('');
  }
});

test('text of a group would stand with the wrong agent, so there is none', () => {
  expect(linesLike(/^## .*\n+### /gm)).toBe(linesLike(/^## /gm));
});

test('what the page does not draw is not in the text of an agent', () => {
  for (const { name, blocks } of guide.agents)
    for (const block of blocks.filter(({ kind }) => kind === 'text'))
      expect(block.text, name).not.toMatch(/^([-*|>]|\d+\.) |\*\*|!\[|<\w/);
});

test('sources that the shipped router lacks are there to copy', () => {
  for (const kind of ['gelf', 'otlp'])
    expect(guide.sources.filter((source) => source.includes(`kind = "${kind}"`))).toHaveLength(1);
});

test('headings and fences within other things are not taken for them', () => {
  const { agents } = readGuide('## A\n\n### b\n\nfirst\nsecond\n```sh\n### c\n\n# d\n```\nthird\n');
  expect(agents).toEqual([
    {
      id: 'b',
      name: 'b',
      group: 'A',
      blocks: [
        { kind: 'text', text: 'first second' },
        { kind: 'code', text: '### c\n\n# d' },
        { kind: 'text', text: 'third' },
      ],
    },
  ]);
});

test('a paragraph has runs, and a link is its words', () => {
  expect(runsOf('See [the *formats*](formats.md) of `a*b`.')).toEqual([
    { kind: 'plain', text: 'See the ' },
    { kind: 'emphasis', text: 'formats' },
    { kind: 'plain', text: ' of ' },
    { kind: 'code', text: 'a*b' },
    { kind: 'plain', text: '.' },
  ]);
});

test('agents are found by name and group, else by what they mention', () => {
  const check = (filter: string, names: string[]) =>
    expect(agentsWith(guide.agents, filter).map(({ name }) => name)).toEqual(names);
  check(' RSYS', ['rsyslog']);
  check('containers', ['Docker', 'Kubernetes']);
  check('logback', ['Java']);
  check('no such thing', []);
  expect(agentsWith(guide.agents, '')).toEqual(guide.agents);
});

function wordsOf(markdown: string): string[] {
  return markdown.split(/\s+/).filter((word) => word !== '');
}
