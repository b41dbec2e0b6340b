import { expect, test } from 'vitest';
import { type TokenKind, lex } from './lexer';
import { splitStages } from './stages';

const short: Record<TokenKind, string> = {
  word: 'w',
  wildcard: '*',
  field: 'f',
  operator: 'o',
  quoted: 'q',
  regex: 'r',
  number: 'n',
  keyword: 'k',
  bracket: 'b',
  pipe: '|',
  stage: 's',
  function: 'c',
};

/** Each token as its text and the letter of its kind. */
function read(query: string): string {
  return lex(query)
    .map(({ kind, start, end }) => `${query.slice(start, end)}·${short[kind]}`)
    .join(' ');
}

function check(cases: Record<string, string>): void {
  for (const [query, tokens] of Object.entries(cases)) expect(read(query), query).toBe(tokens);
}

test('words, phrases and negations are told apart', () => {
  check({
    'failed password': 'failed·w password·w',
    '"connection reset by peer"': '"connection reset by peer"·q',
    'program=sshd -"session opened"': 'program·f =·o sshd·w -·o "session opened"·q',
    'user:* -user=root': 'user·f :·o *·* -·o user·f =·o root·w',
    'a OR b && not c': 'a·w OR·k b·w &&·k not·k c·w',
    '"say \\"hi\\"" x': '"say \\"hi\\""·q x·w',
    'cs"Error"': 'cs"Error"·q',
    '"open': '"open·q',
  });
});

test('comparisons show their field, their operator and their value', () => {
  check({
    'host:fw* severity>=error': 'host·f :·o fw*·* severity·f >=·o error·w',
    'src_ip:10.20.0.0/16 action:(deny OR drop)':
      'src_ip·f :·o 10.20.0.0/16·w action·f :·o (·b deny·w OR·k drop·w )·b',
    'status>=400 status<500': 'status·f >=·o 400·n status·f <·o 500·n',
    'status:[400 TO 500}': 'status·f :·o [·b 400·n TO·k 500·n }·b',
    'status:400..499': 'status·f :·o 400..499·n',
    'bytes>10MB duration>1.5s': 'bytes·f >·o 10MB·n duration·f >·o 1.5s·n',
    '/user=[a-z]{8}/ time:-1h': '/user=[a-z]{8}/·r time·f :·o -1h·n',
    'status:>=400': 'status·f :>=·o 400·n',
    'action IN (deny, drop)': 'action·f IN·k (·b deny·w ,·o drop·w )·b',
    '"odd name":x': '"odd name"·f :·o x·w',
    'host=~"fw.*"': 'host·f =~·o "fw.*"·q',
    '@timestamp>now-2w': '@timestamp·f >·o now-2w·n',
    'host:/^web\\d/i x': 'host·f :·o /^web\\d/i·r x·w',
  });
});

test('what is pasted from a log stays words', () => {
  for (const text of ['10.0.0.1:22', '00:1b:21:aa', 'fe80::1', 'http://x/y', 'C:\\temp', 'x=1,']) {
    check({ [text]: `${text}·w` });
  }
  check({ '%ASA-4-106023: sshd[123]: foo(bar)': '%ASA-4-106023:·w sshd[123]:·w foo(bar)·w' });
});

test('stages have names, functions, fields and keywords', () => {
  check({
    'host:fw1 | top 10 dst_port': 'host·f :·o fw1·w |·| top·s 10·n dst_port·f',
    'error | stats count() by host | where count>100 | sort -count':
      'error·w |·| stats·s count·c (·b )·b by·k host·f |·| where·s count·f >·o 100·n |·| sort·s -·o count·f',
    'x | timechart span=5m count() by host':
      'x·w |·| timechart·s span·f =·o 5m·n count·c (·b )·b by·k host·f',
    'x | stats p95(took) as slow, dc(client)':
      'x·w |·| stats·s p95·c (·b took·f )·b as·k slow·f ,·o dc·c (·b client·f )·b',
    'x | parse regex /port (?<port>\\d+)/ | rare port':
      'x·w |·| parse·s regex·k /port (?<port>\\d+)/·r |·| rare·s port·f',
    '"a" | extract "for <user>"': '"a"·q |·| extract·s "for <user>"·q',
  });
});

test('tokens never overlap and always come to an end', () => {
  const pieces = ['"', '/', '|', ' ', '(', ')', ':', '=', 'a', '1', '*', '-', '[', '\\', '\n', ','];
  let seed = 7;
  for (let round = 0; round < 2000; round += 1) {
    let query = '';
    for (let at = 0; at < 12; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      query += pieces[Math.floor(seed / 65_536) % pieces.length] ?? '';
    }
    let end = 0;
    for (const token of lex(query)) {
      expect(token.start, query).toBeGreaterThanOrEqual(end);
      expect(query.slice(end, token.start).trim(), query).toBe('');
      expect(token.end, query).toBeGreaterThan(token.start);
      end = token.end;
    }
    expect(query.slice(end).trim(), query).toBe('');
  }
});

test('the first stage begins at a pipe outside of quotes and expressions', () => {
  const cuts = (query: string, filter: string, stages: string) =>
    expect(splitStages(query)).toEqual({ filter, stages });
  cuts('a b', 'a b', '');
  cuts('a | top 5 host', 'a', '| top 5 host');
  cuts('"a | b" c|d', '"a | b" c|d', '');
  cuts('/a | b/ | stats count()', '/a | b/', '| stats count()');
  cuts('a || b', 'a || b', '');
  cuts('| top 5 host', '', '| top 5 host');
});
