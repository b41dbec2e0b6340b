// Runs a program, in the repository's root unless told otherwise, with its output on ours.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Resolves with the exit code. `onLine` is called with each line of stdout after it was printed.
 * Interrupts of a terminal reach the whole process group, so the program gets them without us: we only wait for it.
 */
export function run(program, args, { onLine, env, cwd = root } = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['inherit', onLine ? 'pipe' : 'inherit', 'inherit'],
  });
  if (onLine) passThrough(child.stdout, onLine);
  const stop = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${program}: ${error.message}`)));
    child.on('close', (code, signal) => {
      stop();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** The same, but a failure ends this process with the program's exit code: it has said what is wrong. */
export async function runOrExit(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) process.exit(code);
}

function forwardSignals(child) {
  const forward = (signal) => {
    const reachedAlready = signal === 'SIGINT' && process.stdin.isTTY;
    if (!reachedAlready) child.kill(signal);
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
