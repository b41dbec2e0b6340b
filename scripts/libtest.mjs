// Parses the output of Rust's test runner: the number of tests, those that failed, and their output.

/** Maximum number of lines of a failed test's output that are repeated at the end. */
const LINES_EACH = 60;
/** Maximum number of failed tests that are reported, as many failures often have one cause. */
const TOLD = 20;

export function reader() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failed = new Map(); // name -> what it said
  const slow = new Set(); // began a minute ago, and has not ended
  let speaker = null;

  function onLine(line) {
    const result = /^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (result) {
      counts.passed += Number(result[1]);
      counts.failed += Number(result[2]);
      counts.skipped += Number(result[3]);
      speaker = null;
      return;
    }
    const long = /^test (.+) has been running for over \d+ seconds$/.exec(line);
    if (long) slow.add(long[1]);
    const ended = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)/.exec(line);
    if (ended) slow.delete(ended[1]);
    if (ended?.[2] === 'FAILED') failed.set(ended[1], []);
    const heading = /^---- (.+) stdout ----$/.exec(line);
    if (heading) speaker = heading[1];
    else if (line === 'failures:') speaker = null;
    else if (speaker && failed.has(speaker)) keep(failed.get(speaker), line);
  }

  return { counts, failed, slow, onLine };
}

/** The lines to report about each of these tests, most informative first. */
export function told(failed) {
  const shown = [...failed].slice(0, TOLD).map(([name, lines]) => ({ name, lines }));
  return { shown, left: failed.size - shown.length };
}

function keep(lines, line) {
  if (lines.length < LINES_EACH) lines.push(line);
}
