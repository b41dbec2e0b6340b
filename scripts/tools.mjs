// The tools that a machine needs before anything can be built, and how to get them.
import { spawnSync } from 'node:child_process';

const needed = [
  {
    name: 'Node.js 20 or newer',
    present: () => Number(process.versions.node.split('.')[0]) >= 20,
    install: 'https://nodejs.org (or your distribution: nodejs npm)',
  },
  {
    name: 'Rust (cargo)',
    present: () => answers('cargo'),
    install: "https://rustup.rs: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
  },
  {
    name: 'a C compiler (cc)',
    present: () => answers('cc'),
    install: 'Debian, Ubuntu: apt-get install gcc libc6-dev; macOS: xcode-select --install',
  },
  {
    name: 'make',
    present: () => answers('make'),
    install: 'Debian, Ubuntu: apt-get install make; macOS: xcode-select --install',
  },
];

/** Ends the process with a list of missing tools, unless all are present. */
export function requireTools() {
  const missing = needed.filter((tool) => !tool.present());
  if (missing.length === 0) return;
  console.error('Logstead cannot be built yet. Missing:\n');
  for (const { name, install } of missing) console.error(`  ${name}\n    ${install}\n`);
  process.exit(3);
}

/** Whether a program of that name is on the PATH and runs. */
export function answers(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
