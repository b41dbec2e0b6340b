// Reports the changes of the API that break programs written for the last release: compares web/openapi.json with
// docs/api/released.json. Each break must be listed in docs/api/breaks.json, with its reason and with words of the line
// that names it among the unreleased changes of CHANGELOG.md, or this fails; it also fails if an entry is not a break. `--release` makes the current description the released one, and empties the list.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { breaks } from './api-breaks.mjs';
import { root } from './run.mjs';

const files = {
  now: join(root, 'web/openapi.json'),
  released: join(root, 'docs/api/released.json'),
  accepted: join(root, 'docs/api/breaks.json'),
  changelog: join(root, 'CHANGELOG.md'),
};
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * The keys that programs do not depend on. A property may have such a name too: then its value is
 * an object.
 */
const PROSE = ['description', 'summary', 'title', 'example', 'examples', 'tags', 'deprecated'];

/** A description without the parts that are meant for people. */
function wire(value, key = '') {
  if (Array.isArray(value)) return value.map((one) => wire(one));
  if (typeof value !== 'object' || value === null) return value;
  const isMap = ['properties', 'schemas', 'content', 'responses', 'headers', 'paths'].includes(key);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isMap || !PROSE.includes(name))
      .map(([name, part]) => [name, wire(part, isMap ? '' : name)]),
  );
}

function release() {
  const { openapi, info, paths, components } = read(files.now);
  const kept = { openapi, info: { version: info.version }, ...wire({ paths, components }) };
  writeFileSync(files.released, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(files.accepted, '[]\n');
}

/** A text in which line breaks do not matter. */
function words(text) {
  return text.split(/\s+/).join(' ');
}

function check() {
  const entries = read(files.accepted);
  const accepted = new Map(entries.map((entry) => [entry.break, entry.reason]));
  const unreleased = words(readFileSync(files.changelog, 'utf8').split(/^## /m)[1]);
  const isNamed = ({ changelog }) => changelog && unreleased.includes(words(changelog));
  const found = breaks(read(files.released), read(files.now));
  const faults = [
    ...found.filter((line) => !accepted.has(line)).map((line) => `breaks programs: ${line}`),
    ...[...accepted.keys()]
      .filter((line) => !found.includes(line))
      .map((line) => `listed in docs/api/breaks.json, and no break: ${line}`),
    ...[...accepted]
      .filter(([, reason]) => typeof reason !== 'string' || reason.trim() === '')
      .map(([line]) => `listed in docs/api/breaks.json without a reason: ${line}`),
    ...entries
      .filter((entry) => !isNamed(entry))
      .map((entry) => `no line of CHANGELOG.md has the words "${entry.changelog}": ${entry.break}`),
  ];
  if (faults.length === 0) return;
  console.error(faults.join('\n'));
  console.error(
    'Keep what programs rely on, or list the break with its reason in docs/api/breaks.json: ' +
      '[{ "break": "the line above", "reason": "…", "changelog": "words of its line in CHANGELOG.md" }]',
  );
  process.exit(1);
}

if (process.argv.includes('--release')) release();
else check();
