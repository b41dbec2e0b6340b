/** The bytes of a message as a table of offset, hexadecimal and text. */
import type { Message } from '../../api/model';

/** The bytes exactly as received: if they are not UTF-8, they come from the server in base64. */
export function bytesOf({ raw, raw_base64 }: Pick<Message, 'raw' | 'raw_base64'>): Uint8Array {
  if (raw_base64 === undefined) return new TextEncoder().encode(raw);
  return Uint8Array.from(atob(raw_base64), (character) => character.charCodeAt(0));
}

/**
 * Rows as `hexdump -C` writes them, such as `000010  48 65 6c 6c 6f …  Hello…`, of at most
 * `bytesMax` bytes.
 */
export function hexRows(bytes: Uint8Array, bytesMax: number, perRow: 8 | 16 = 16): string {
  const rows: string[] = [];
  const end = Math.min(bytes.length, bytesMax);
  for (let at = 0; at < end; at += perRow) {
    const row = Array.from(bytes.subarray(at, Math.min(at + perRow, end)));
    const halves = [row.slice(0, 8), ...(perRow === 16 ? [row.slice(8)] : [])];
    const numbers = halves.map((half) => half.map(hex).join(' ').padEnd(23)).join('  ');
    const offset = at.toString(16).padStart(6, '0');
    rows.push(`${offset}  ${numbers}  ${row.map(printable).join('')}`);
  }
  return rows.join('\n');
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·';
}
