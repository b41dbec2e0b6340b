import { afterEach, expect, test, vi } from 'vitest';
import { readSearch } from '../searchParams';
import { type Format, IN_MEMORY_MAX, exportPath, wayOf } from './choice';
import { durationText, exportRateOf } from './rate';
import { type Progress, type Sink, rowCounter, transfer } from './transfer';
import { suggestedName } from './useExport';

afterEach(() => vi.unstubAllGlobals());

const bytesOf = (text: string) => new TextEncoder().encode(text);

function checkRows(format: Format, chunks: string[], rows: number) {
  const count = rowCounter(format);
  expect(chunks.map((chunk) => count(bytesOf(chunk))).at(-1)).toBe(rows);
}

test('rows are counted as they pass, wherever the stream is cut', () => {
  checkRows('ndjson', ['{}\n{', '}\n'], 2);
  checkRows('csv', ['host,mes', 'sage\r\na,"x\n', 'y ""z"""\r\n'], 1);
  checkRows('csv', ['host\r\n'], 0);
  checkRows('raw', ['"a\n', 'b\n'], 2);
});

/** The fate of the file. */
type Outcome = { text: string; kept: string | null; error: string | null; progress: Progress[] };

async function run(
  response: Response | Error,
  format: Format = 'ndjson',
  signal = new AbortController().signal,
): Promise<Outcome> {
  vi.stubGlobal('fetch', () =>
    response instanceof Error ? Promise.reject(response) : Promise.resolve(response),
  );
  const outcome: Outcome = { text: '', kept: null, error: null, progress: [] };
  const sink: Sink = {
    write: (bytes) => {
      outcome.text += new TextDecoder().decode(bytes);
      return Promise.resolve();
    },
    keep: (name) => {
      outcome.kept = name;
      return Promise.resolve();
    },
    discard: () => {
      outcome.text = '';
      return Promise.resolve();
    },
  };
  await transfer('/api/v1/export', format, sink, signal, (progress) =>
    outcome.progress.push(progress),
  ).catch((error: unknown) => {
    outcome.error = error instanceof Error ? error.message : 'not an error';
  });
  return outcome;
}

const headers = (count: number) => ({
  'X-Logstead-Count': String(count),
  'Content-Disposition': 'attachment; filename="logstead-20260102T030405Z.ndjson"',
});

test('a whole export is kept under the name that the server gave', async () => {
  const { text, kept, error, progress } = await run(
    new Response('{}\n{}\n', { headers: headers(2) }),
  );
  expect([text, kept, error]).toEqual(['{}\n{}\n', 'logstead-20260102T030405Z.ndjson', null]);
  expect(progress.at(-1)).toEqual({ rows: 2, rowsMax: 2, bytes: 6 });
});

test('an export that ends early is reported and leaves no file', async () => {
  const { text, kept, error } = await run(new Response('{}\n', { headers: headers(2) }));
  expect([text, kept]).toEqual(['', null]);
  expect(error).toContain('cut off');
});

test('a file with columns is kept only with its end', async () => {
  const arrow = (end: number[]) => new Uint8Array([255, 255, 255, 255, 8, 0, 0, 0, 1, ...end]);
  const whole = await run(
    new Response(arrow([255, 255, 255, 255, 0, 0, 0, 0]), { headers: headers(7) }),
    'arrow',
  );
  expect(whole.kept).not.toBeNull();
  const parquet = await run(new Response('PAR1…PAR1', { headers: headers(7) }), 'parquet');
  expect(parquet.kept).not.toBeNull();
  for (const [body, format] of [
    [arrow([255, 255, 255, 255, 0, 0, 0]), 'arrow'],
    [new Uint8Array(), 'arrow'],
    ['PAR1…PAR', 'parquet'],
    ['PAR1…', 'parquet'],
  ] as const) {
    const cut = await run(new Response(body, { headers: headers(7) }), format);
    expect([cut.kept, cut.error]).toEqual([null, expect.stringContaining('cut off')]);
  }
});

test('a connection that breaks is reported and leaves no file', async () => {
  const body = new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytesOf('{}\n'));
      controller.error(new TypeError('network error'));
    },
  });
  const { kept, error } = await run(new Response(body, { headers: headers(2) }));
  expect(kept).toBeNull();
  expect(error).toContain('cut off');
});

test('a refusal is reported in the words of the server', async () => {
  const problem = { title: 'Forbidden', status: 403, detail: 'exports need the role analyst' };
  const { kept, error } = await run(new Response(JSON.stringify(problem), { status: 403 }));
  expect([kept, error]).toEqual([null, 'exports need the role analyst']);
});

test('only what fits is held in memory', () => {
  expect(wayOf(true, undefined)).toBe('file');
  expect(wayOf(false, IN_MEMORY_MAX)).toBe('memory');
  expect(wayOf(false, IN_MEMORY_MAX + 1)).toBe('link');
  expect(wayOf(false, undefined)).toBe('link');
});

test('the address of an export says everything that was chosen', () => {
  const state = readSearch({ q: 'a | top 3 host', from: 'all', logspace: 'main' });
  const path = (format: Format) =>
    exportPath(state, { format, order: 'newest', columns: ['host'], copies: format === 'csv' });
  expect(path('raw')).toBe(
    '/api/v1/export?query=a+%7C+top+3+host&timezone=Europe%2FVienna&logspaces=main&format=raw&unparsed=text',
  );
  expect(path('csv')).toContain('&copies=all&columns=host');
  expect(path('parquet')).toContain('&format=parquet&columns=host');
});

test('the pace is shown once there is something to judge by', () => {
  const progress = { rows: 1000, rowsMax: 4000, bytes: 2000 };
  expect(exportRateOf(progress, 100)).toBeNull();
  expect(exportRateOf(progress, 1000)).toEqual({
    rowsPerSecond: 1000,
    bytesPerSecond: 2000,
    secondsLeft: 3,
  });
  expect(['0.2', '61', '7500'].map((text) => durationText(Number(text)))).toEqual([
    '1 s',
    '1 min 1 s',
    '2 h 5 min',
  ]);
});

test('a file is named as the server names it', () => {
  expect(suggestedName('csv', new Date('2026-01-02T03:04:05.678Z'))).toBe(
    'logstead-20260102T030405Z.csv',
  );
});
