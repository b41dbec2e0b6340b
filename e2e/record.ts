import type { BrowserContext, Response } from '@playwright/test';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder for the answers that tests see; without one, nothing is recorded. */
const folder = process.env['LOGSTEAD_RECORD_ANSWERS'];

/** An answer of the API, as `scripts/answers.mjs` compares it with the description. */
interface Answer {
  method: string;
  path: string;
  status: number;
  media: string;
  body: string;
  /** Whether the body was read to its end. */
  whole: boolean;
}

/** Bodies that are longer are left out. */
const LENGTH_MAX = 64 * 1024;

/** Keeps an answer for the comparison with the description. */
export function recordAnswer(answer: Answer): void {
  if (folder === undefined || answer.body.length > LENGTH_MAX) return;
  const path = join(folder, `e2e-${String(process.pid)}.ndjson`);
  appendFileSync(path, `${JSON.stringify(answer)}\n`);
}

/** Records what the console gets. Streams are left out: they end with the page. */
export function recordAnswers(context: BrowserContext): void {
  if (folder === undefined) return;
  context.on('response', (response) => {
    void keep(response);
  });
}

async function keep(response: Response): Promise<void> {
  const path = new URL(response.url()).pathname;
  const media = response.headers()['content-type'] ?? '';
  // Every answer of the server has an id; those that tests make up have none.
  const isReal = 'x-request-id' in response.headers();
  if (!isReal || !path.startsWith('/api/') || media.startsWith('text/event-stream')) return;
  let body: string;
  try {
    body = response.status() < 300 || response.status() >= 400 ? await response.text() : '';
  } catch {
    return; // the page has left before the whole body came
  }
  const method = response.request().method();
  recordAnswer({ method, path, status: response.status(), media, body, whole: true });
}
