// Compares the answers that tests have recorded with web/openapi.json: `node scripts/answers.mjs FOLDER…`. Fails on any
// that the description does not allow, and on operations whose success no test has seen.
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Description } from './described.mjs';
import { root } from './run.mjs';

/** Maximum number of mistakes that are told. */
const TOLD_MAX = 40;

/** The counts of the answers in these folders, and the mistakes: a sentence for each kind, with its number. */
export async function compare(folders) {
  const description = new Description(
    JSON.parse(readFileSync(join(root, 'web/openapi.json'), 'utf8')),
  );
  const mistakes = new Map();
  const seen = new Set();
  let answers = 0;
  for (const path of folders.flatMap(recordings)) {
    for await (const line of createInterface({
      input: createReadStream(path),
      crlfDelay: Infinity,
    })) {
      const answer = JSON.parse(line);
      const operation = description.find(answer.method, answer.path);
      if (!operation) continue;
      answers += 1;
      if (answer.status < 400) seen.add(operation.operationId);
      for (const mistake of description.mistakes(answer)) {
        const told = `${operation.operationId}: ${mistake}`;
        mistakes.set(told, (mistakes.get(told) ?? 0) + 1);
      }
    }
  }
  return { answers, mistakes, unseen: description.ids.filter((id) => !seen.has(id)) };
}

function recordings(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name));
}

/** Tells the outcome, and returns whether it is good. */
export function tell({ answers, mistakes, unseen }) {
  const kinds = [...mistakes].sort(([, one], [, other]) => other - one);
  for (const [told, count] of kinds.slice(0, TOLD_MAX)) console.log(`${count} × ${told}`);
  if (kinds.length > TOLD_MAX) console.log(`… and ${kinds.length - TOLD_MAX} other kinds`);
  if (unseen.length > 0) console.log(`no test has seen a success of: ${unseen.join(', ')}`);
  console.log(
    `${answers} answers compared with the description, ${kinds.length} kinds of mistakes`,
  );
  return kinds.length === 0 && unseen.length === 0 && answers > 0;
}

if (process.argv[1] === import.meta.filename) {
  const good = tell(await compare(process.argv.slice(2)));
  process.exitCode = good ? 0 : 1;
}
