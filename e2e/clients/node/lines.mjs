// The messages to send: each line of standard input is a JSON string.
import { createInterface } from 'node:readline';

export async function* lines() {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line);
}
