import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * A program of another project that sends each text that it reads; each line of its input is a JSON
 * string.
 */
export class Sender {
  /** Everything that the program printed. */
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;

  constructor(command: readonly string[], env: Record<string, string> = {}) {
    const [program = '', ...args] = command;
    // The program gets a process group of its own, because some programs start others.
    this.child = spawn(program, args, { detached: true, env: { ...process.env, ...env } });
    const append = (text: Buffer) => (this.output += text.toString());
    this.child.stdout?.on('data', append);
    this.child.stderr?.on('data', append);
    // A program that has ended early is detected by its exit code.
    this.child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', resolve);
    });
    this.ended.catch(() => undefined); // until somebody asks
  }

  /** Resolves when the rest of the texts fits into the pipe to the program. */
  async feed(texts: readonly string[]): Promise<void> {
    const stdin = this.child.stdin;
    if (!stdin || texts.length === 0) return;
    const lines = texts.map((text) => JSON.stringify(text) + '\n').join('');
    if (!stdin.write(lines)) await Promise.race([once(stdin, 'drain'), this.ended]);
  }

  /** Closes the input; resolves with the exit code when everything is sent. */
  async finish(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended;
  }

  /** Kills the program, whatever it is doing, together with all processes that it started. */
  async kill(): Promise<void> {
    if (this.child.pid !== undefined && this.child.exitCode === null) {
      process.kill(-this.child.pid, 'SIGKILL');
      await this.ended.catch(() => undefined);
    }
  }
}
