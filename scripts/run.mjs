// Runs a program, in the repository's root unless told otherwise, with its output passed through.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Resolves with the exit code. `onLine` is called with each line of stdout after it was printed; a program that prints
 * none for `silence` milliseconds is killed, with all that it started. With `log`, a file gets the output instead.
 * Interrupts of a terminal reach the whole process group, so the program gets them without us: we only wait for it.
 */
export function run(program, args, { onLine, silence, log, env, cwd = root } = {}) {
  const output = log ? openSync(log, 'w') : 'inherit';
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['inherit', onLine ? 'pipe' : output, output],
    detached: silence !== undefined, // a group of its own, to be killed as a whole
  });
  if (log) closeSync(output);
  const listening = silence === undefined ? undefined : listen(child, silence);
  if (onLine)
    passThrough(child.stdout, (line) => {
      listening?.refresh();
      onLine(line);
    });
  const stop = forwardSignals(child, silence !== undefined);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${program}: ${error.message}`)));
    child.on('close', (code, signal) => {
      clearTimeout(listening);
      stop();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/**
 * The same, but a failure ends this process with the program's exit code, as the program has
 * already reported the problem.
 */
export async function runOrExit(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) process.exit(code);
}

function listen(child, silence) {
  return setTimeout(() => {
    console.log(`silent for ${silence / 60_000} minutes: killed`);
    process.kill(-child.pid, 'SIGKILL');
  }, silence);
}

function forwardSignals(child, ownGroup) {
  const forward = (signal) => {
    const reachedAlready = signal === 'SIGINT' && process.stdin.isTTY && !ownGroup;
    if (reachedAlready) return;
    if (ownGroup) process.kill(-child.pid, signal);
    else child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => signals.forEach((signal) => process.off(signal, forward));
}

function passThrough(stdout, onLine) {
  let partial = '';
  stdout.setEncoding('utf8');
  stdout.on('data', (text) => {
    process.stdout.write(text);
    const lines = (partial + text).split('\n');
    partial = lines.pop();
    lines.forEach(onLine);
  });
}
